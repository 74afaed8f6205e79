// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var Vt=Object.defineProperty;var $s=Object.getOwnPropertyDescriptor;var Ss=Object.getOwnPropertyNames;var Os=Object.prototype.hasOwnProperty;var As=(e,t)=>{for(var n in t)Vt(e,n,{get:t[n],enumerable:!0})},Ms=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of Ss(t))!Os.call(e,r)&&r!==n&&Vt(e,r,{get:()=>t[r],enumerable:!(s=$s(t,r))||s.enumerable});return e};var ks=e=>Ms(Vt({},"__esModule",{value:!0}),e);var Wi={};As(Wi,{LtonError:()=>l,ToolSet:()=>Zt,encode:()=>ws,sorted:()=>_});var l=class extends Error{#t;constructor(t,n,{doc:s,start:r=0,firstLine:i=1,...o}={}){let{pos:a,path:c,pointer:u}=o,f=c||
u?`at ${c||u}`:"",m=a===void 0?f:`position ${a}`,p={},g="";if(s!==void 0&&a!==void 0){let $=Es(s,a-r),B=$.split(`
`),[X,Ue]=[i+B.length-1,[...B.at(-1)].length+1],He=s.indexOf(`
`,$.length);g=s.slice($.lastIndexOf(`
`)+1,He<0?s.length:He),p={line:X,column:Ue},m=`line ${X}, column ${Ue}${f&&`, ${f}`}`}super(`${n}${m?` (${m})`:""} [${t}\
]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,o,p),this.#t=g}picture(t=76){if(this.column===void 0)
return"";let n=[...this.#t].map(js),s=this.column-1,r=Math.max(0,Math.min(s-(t>>1),n.length-t));return`${n.slice(r,r+t).
join("")}
${n.slice(r,s).map(Is).join("")}^`}};function Es(e,t){let n=0;for(let s=t;s>0&&n<e.length;s-=1)n+=e.codePointAt(n)>65535?
2:1;return e.slice(0,n)}function js(e){return/^[^\p{C}\p{Z}]$|^[ \t]$/u.test(e)?e:"\uFFFD"}var Ns=/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
function Is(e){return e==="	"?e:/\p{M}/u.test(e)?"":Ns.test(e)?"  ":" "}function v(e){let t="";for(let n of e)t+=`/${String(
n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function y(e){let t;return typeof e=="string"?t=Y(e.slice(0,41)):
e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an array":"an object",t.length>40?`${t.slice(0,
40)}\u2026`:t}function Y(e){return e.includes("'")?JSON.stringify(e):`'${JSON.stringify(e).slice(1,-1).replaceAll('\\"',
'"')}'`}var Qt=1e3,Ts=1e5,tt=/[ \t\n\r]*/y,Fe=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,Rs=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
Ps=/true|false|null/y,Ls=new Map([["true",!0],["false",!1],["null",null]]);function xt(e,t=!1){let n=new te(e,t),s=n.value(
0);if(n.pos<e.length)throw n.unexpected("the end of the text");return s}var vt=class{constructor(t){this.text=t,this.pos=
0}skip(t){let n=this.text[this.pos]===t;return this.pos+=Number(n),n}match(t){t.lastIndex=this.pos;let n=t.exec(this.text);
return this.pos+=n?n[0].length:0,n}},te=class extends vt{constructor(t,n){super(t),this.isUnique=n}value(t){if(this.match(
tt),t>Qt)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(tt),n}unspaced(t){let n=this.match(
Fe);if(n)return JSON.parse(n[0]);let s=this.match(Rs);if(s)return this.number(s);let r=this.match(Ps);if(r)return Ls.get(
r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a value")}number([
t,n,s]){if(n||s)return Number(t);if(t.length>Ts)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(t)}array(t){
let n=[];if(this.match(tt),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip("]"))throw this.
unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(tt),this.skip("}"))return n;do{this.match(tt);
let s=this.match(Fe);if(!s)throw this.unexpected("a key in double quotes");if(this.match(tt),!this.skip(":"))throw this.
unexpected("a colon");let r=JSON.parse(s[0]);if(this.isUnique&&n.has(r))throw this.unexpected("a key once");n.set(r,this.
value(t))}while(this.skip(","));if(!this.skip("}"))throw this.unexpected("a comma or }");return n}unexpected(t){let[n=""]=this.
text.slice(this.pos,this.pos+2),s=n?JSON.stringify(n):"the end of the text";return new l("E502",`expected ${t}, found ${s}`,
{pos:this.pos})}};function We(e){return Je(e,new Map,0)}function Je(e,t,n){if(typeof e=="number")return Number.isInteger(
e)&&!Object.is(e,-0)?BigInt(e):e;if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="ob\
ject")throw new l("E502",`a ${typeof e} is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new l("E502","a def\
inition contains itself");return i}if(n>Qt)throw new l("E301",`nested deeper than ${Qt}`);t.set(e,void 0);let s=i=>Je(i,
t,n+1),r=Array.isArray(e)?e.map(s):new Map([..._s(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,
r),r}function _s(e){return e instanceof Map?e:Object.entries(e)}function wt(e){return typeof e=="bigint"?Number(e):Array.
isArray(e)?e.map(wt):e instanceof Map?Object.fromEntries([...e].map(([t,n])=>[t,wt(n)])):e}var Ds="draft-2020-12",Cs={io:"input",typeMode:"input"},St=["parameters","input_schema","inputSchema"],zs=new Set([...St,
"name","title","description","function"]),qs={zod:"pass { toJSONSchema: z.toJSONSchema } as the options",valibot:"pass {\
 toJSONSchema: toJsonSchema } of @valibot/to-json-schema as the options"};function Ge(e,t,n){let s=(i,o)=>{try{return Xe(
i,`/${o}`,t)}catch(a){if(!(a instanceof l))throw a;return n.set(o,a),null}};if(Array.isArray(e))return e.map(s);if(!et(e))
return e;if(Array.isArray(e.tools))return e.tools.map(s);let r=Object.entries(e);if(!r.length||!r.every(([,i])=>Bs(i))){
let i=s(e,0);return i===null?[null]:i}return r.map(([i,o],a)=>s({...o,name:i},a))}function Bs(e){return et(e)&&!$t(e)&&e.
name===void 0&&St.some(t=>et(e[t])||typeof e[t]=="function")}function Xe(e,t,n){if($t(e))return Ke(e,t,n);if(!(et(e)&&(Ye(
e)||Object.values(e).some(i=>typeof i=="function"))))return e;let r={};for(let[i,o]of Object.entries(e))zs.has(i)&&(i===
"function"?r[i]=Xe(o,`${t}/${i}`,n):r[i]=St.includes(i)&&$t(o)?Ke(o,`${t}/${i}`,n):o);return r}function Ye(e){let t=e.function;
return St.some(n=>$t(e[n]))||et(t)&&Ye(t)}function et(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)&&!(e instanceof
Map)}function $t(e){return e===null||typeof e!="object"&&typeof e!="function"||"$schema"in e?!1:"~standard"in e||"jsonSc\
hema"in e&&"validate"in e}function Ke(e,t,n){let s=e["~standard"];if(!s)return Us(e,t);try{if(s.jsonSchema)return s.jsonSchema.
input({target:Ds});if(n)return n(e,Cs)}catch(i){throw new l("E501",`${s.vendor} cannot write this schema as JSON Schema:\
 ${i.message}`,{pointer:t})}let r=qs[s.vendor]??"pass its function as the option toJSONSchema";throw new l("E502",`this \
schema of ${s.vendor} does not write JSON Schema itself: ${r}`,{pointer:t})}function Us({jsonSchema:e},t){if(!et(e)||typeof e.
then!="function")return e;throw new l("E502","expected a JSON Schema, found a promise: await the schema first",{pointer:t})}var Hs=10n**BigInt(4096)-1n,Fs=1n-10n**BigInt(4095),U=/[\0\ud800-\udfff]/u,F=/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;
function Ve(e){return e.replace(/[^]/g,t=>`\\u${t.charCodeAt(0).toString(16).padStart(4,"0")}`)}var Ws=/[\ud800-\udfff]/,
Js=/[\ud800-\udbff][\udc00-\udfff]/g;function A(e){return Ws.test(e)?e.length-(e.match(Js)?.length??0):e.length}function N(e){
return typeof e=="object"&&e!==null&&!Array.isArray(e)}function S(e){return typeof e=="number"||typeof e=="bigint"}function Ot(e){
return typeof e=="bigint"||Number.isInteger(e)}function At(e){return Fs<=e&&e<=Hs}function W(e){if(typeof e=="number")return Number.
isInteger(e)&&!Number.isSafeInteger(e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(t)?t:e}function ee(){return Object.
create(null)}var Ks=Object.prototype.hasOwnProperty;function k(e,t){return Ks.call(e,t)}function _(e){return[...e].sort(
Gs)}function Gs(e,t){let n=Math.min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[e.charCodeAt(s),t.charCodeAt(s)];
if(r!==i)return r>=55296&&i>=55296?Ze(r)-Ze(i):r-i}return e.length-t.length}function Ze(e){return e<57344?e+65536:e}var Qe=["wire","keyed","punctuated","tagged"],ne="!call ",ve="!result ",tn="!error ",en="!error: ";var nn=/^[A-Za-z0-9_./-]+$/,se=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,sn=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/,
Xs=/[\n\r]/,Ys=/`{3,}/g;var Zs=['"',"'","`"];function ct(e){return nn.test(e)}var Vs=/["'`)\]}]$/,Qs=/^[A-Za-z]/;function nt(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(Vs.test(e[n-
1])&&!Qs.test(s)?",":" ")+s}return t}function D(e){return nn.test(e)?e:Mt(e)??on(e)}function re(e){return e==="n"||e==="\
_"?`"${e}"`:D(e)}function rn(e,t,n=!1){return t&&se.test(e)?e:Mt(e)??(n?on(e):st("s",e))}function st(e,t){return`${e}${A(
t)}:${t}`}function Mt(e){if(Xs.test(e))return null;let t=Zs.find(n=>!e.includes(n));return t?t+e+t:null}function on(e){let t=2;
for(let[s]of e.matchAll(Ys))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function J(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var I=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
W)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get noun(){return this.integer?"an integer":
"a number"}refuse(t){if(this.integer&&!Ot(t))return["E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.
listed.has(W(t)))return["E204",cn(this.values.map(J))];let n=this.broken(t);return n?["E208",`${this.noun} of ${n}`]:null}broken(t){
return this.minimum!==void 0&&!(t>=this.minimum)?`at least ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`a\
t most ${this.maximum}`:this.exclusiveMinimum!==void 0&&!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:
this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?`less than ${this.exclusiveMaximum}`:""}},E=class{constructor({
min:t=0,max:n,values:s,format:r}={}){this.format=r,this.min=t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=
t===0&&n===void 0&&s===void 0}get noun(){return this.values?cn(this.values.map(t=>Y(t))):"a string"}refuse(t){if(this.isOpen)
return null;if(this.listed&&!this.listed.has(t))return["E204",this.noun];let n=un(A(t),this.min,this.max);return n?["E20\
8",`a string of ${n} characters`]:null}},R=class{constructor(t,n=0,s=void 0,r=[],i=null){this.items=t,this.min=n,this.max=
s,this.positions=r,this.further=i}refuse(t){let n=un(t.length,this.min,this.max);return n?["E208",`an array of ${n} item\
s`]:null}},b=class{constructor(t=[],n=null,s=[],r=null,i=null){this.extra=n,this.branches=s,this.label=r,this.name=i,this.
needs=t.filter(a=>a.required),this.params=[...this.needs,...t.filter(a=>!a.required)],this.byName=new Map(this.params.map(
a=>[a.name,a])),this.isMap=t.length===0&&n!==null;let o=s.length>0&&r===null;this.turns=o?[]:this.params}branchWith(t){let{
label:n}=this;return n===null?null:this.branches.find(s=>s.byName.get(n)?.type.refuse(t)===null)??null}branchOf(t){let{label:n}=this;
return n===null||!k(t,n)?this:this.branchWith(t[n])?.branchOf(t)??this}typeOf(t){return this.byName.get(t)?.type??this.extra}inOrder(t){
return[...this.params.map(s=>s.name).filter(s=>k(t,s)),..._(Object.keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.
turns.map(o=>k(t,o.name)?o:null);for(;n.length&&n.at(-1)===null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).length;
s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(o=>!i.
has(o))}}},w=class{constructor(t={}){this.null=t.null??!1,this.booleans=t.booleans??[],this.number=t.number??null,this.string=
t.string??null,this.array=t.array??null,this.object=t.object??null,this.recursion=t.recursion??null,this.isWordy=this.string!==
null&&!this.null&&this.booleans.length===0}get isAny(){let{array:t,number:n,object:s,string:r}=this;if(this===h)return!0;
let i=this.null&&this.booleans.length===2&&r?.isOpen&&n?.isOpen&&!n.integer,o=t?.items===h&&t.min===0&&t.max===void 0;return!!i&&
o&&s?.isMap===!0&&s.extra===h}get hasLabels(){return this.string?.values!==void 0}takesBare(t){return!(this.null&&t==="n\
ull"||this.booleans.length>0&&(t==="true"||t==="false")||this.number!==null&&sn.test(t))}refuse(t){return typeof t=="str\
ing"?this.string?this.string.refuse(t):this.wrongKind():S(t)?this.number?this.number.refuse(t):this.wrongKind():t===null?
this.null?null:this.wrongKind():typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():Array.isArray(t)?this.
array?this.array.refuse(t):this.wrongKind():this.object?null:this.wrongKind()}wrongKind(){return["E203",this.noun]}get noun(){
return[this.string?.noun,this.number?.noun,this.array&&"an array",this.object&&"an object",this.booleans.join(" or "),this.
null&&"null"].filter(Boolean).join(" or ")||"nothing"}};function vs(){let e=new w({null:!0,booleans:[!1,!0],number:new I(
{integer:!1}),string:new E});return Object.assign(e,{array:new R(e),object:new b([],e)})}var h=vs(),kt=h.object,M=new w(
{...h}),ie=new w,an=8;function cn(e){if(e.length===1)return e[0];let t=e.length>an?`, \u2026 (${e.length} in all)`:"";return`\
one of ${e.slice(0,an).join(", ")}${t}`}function un(e,t,n){return e<t?`at least ${t}`:n!==void 0&&e>n?`at most ${n}`:""}function x(e,t){return e===t||e.null===t.null&&ln(e.booleans,t.booleans)&&K(e.number,t.number)&&K(e.string,t.string)&&K(
e.array,t.array)&&K(e.object,t.object)}function K(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof b&&
t instanceof b)return fn(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max","format"].every(r=>n[r]==s[r])&&ln(e.values,t.values)&&(!(e instanceof R)||tr(e,t))}function tr(e,t){return!x(
e.items,t.items)||e.positions.length!==t.positions.length?!1:(e.further===null||t.further===null?e.further===t.further:x(
e.further,t.further))&&e.positions.every((s,r)=>x(s,t.positions[r]))}function fn(e,t){if(e.params.length!==t.params.length||
e.extra===null!=(t.extra===null)||e.label!==t.label||e.branches.length!==t.branches.length||!e.branches.every((s,r)=>fn(
s,t.branches[r])))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.required&&x(s.type,r.type);return e.params.every(
(s,r)=>n(s,t.params[r]))&&(e.extra===null||x(e.extra,t.extra))}function ln(e,t){return e===t||e!==void 0&&t!==void 0&&e.
length===t.length&&e.every((n,s)=>n==t[s])}var ut=[];for(let e=2;ut.length<64;e+=1)ut.every(t=>e%t)&&ut.push(e);var hn=e=>e%1*2**32|0,er=ut.slice(0,8).map(e=>hn(Math.
sqrt(e))),nr=ut.map(e=>hn(Math.cbrt(e))),C=(e,t)=>e>>>t|e<<32-t;function pn(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...er],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)sr(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function sr(e,t,n,s){for(let p=0;p<64;p+=1)if(p<16)n[p]=e.getInt32(
t+4*p);else{let[g,$]=[n[p-15],n[p-2]],B=C(g,7)^C(g,18)^g>>>3,X=C($,17)^C($,19)^$>>>10;n[p]=n[p-16]+B+n[p-7]+X}let[r,i,o,
a,c,u,f,m]=s;for(let p=0;p<64;p+=1){let g=m+(C(c,6)^C(c,11)^C(c,25))+(c&u^~c&f)+nr[p]+n[p]|0,$=(C(r,2)^C(r,13)^C(r,22))+
(r&i^r&o^i&o)|0;[m,f,u,c,a,o,i,r]=[f,u,c,a+g|0,o,i,r,g+$|0]}[r,i,o,a,c,u,f,m].forEach((p,g)=>s[g]=s[g]+p|0)}var j=class extends Error{};function Nt(e){return oe(e,"u")||oe(e,"")}function oe(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var rr=`
\r\u2028\u2029`,mn={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},dn=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),ae=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new j;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!rr.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new j;t=this.choice()}
if(!this.skip(")"))throw new j;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>dn(
r[i-1])!==dn(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new j;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new j;
if("dDwWsS".includes(t))return gn(`\\${t}`);if(t in mn)return mn[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new j;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new j;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!oe(r,"u"))throw new j;return this.pos+=s[0].length,gn(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new j;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new j;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function gn(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function Et(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+Et(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+Et(e.part);if(e.kind!=="repeat")return 1;let t=Et(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function jt(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+jt(n),0):e.kind==="any"?Math.min(...e.parts.map(jt)):e.kind==="repeat"?e.low*jt(e.part):0}var rt=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new ae(t).pattern(),s=Et(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
j||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?jt(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new ce(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},ce=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var ir=/^(\d{4})-(\d\d)-(\d\d)$/,or=1440,ar=/^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/i,
cr=/^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
yn=String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`,ur=new RegExp(String.
raw`^(?:${yn}(?:\.${yn})*|"[^"\r\n]*")@([^]+)$`),fr=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,lr=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
hr=/^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u,pr=/^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,
ue=String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef`+Array.from({length:13},(e,t)=>(t+1).toString(16)).map(e=>String.raw`\u{${e}0000}-\u{${e}fffd}`).
join("")+String.raw`\u{e1000}-\u{efffd}`,On=String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;function Tt(e){
return new RegExp(String.raw`[^%${e}]|%(?![\da-fA-F]{2})`,"u")}var fe=String.raw`\w.~!$&'()*+,;=:@\/?\-`,bn=Tt(fe),mr=Tt(
fe+ue),dr=Tt(fe+ue+On),gr=Tt(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-`+ue+On),wn=String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`,
yr=new RegExp(String.raw`\{[+#./;?&=,!@|]?${wn}(?:,${wn})*\}`,"gi"),br=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,
wr=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,xr=/^(?:0|[1-9]\d{0,2})$/,$r=/^[\da-f]{1,4}$/i;function xn(e){let[,t,n,s]=ir.exec(
e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,
31,30,31,30,31][n-1]}function $n(e){let[t,n,s,r,i,...o]=ar.exec(e)??[];if(t===void 0)return!1;if(r!=="60")return!0;let a=i?
+`${i}1`*(Number(o[0])*60+Number(o[1])):0;return(Number(n)*60+Number(s)-a+1)%or===0}function Sn(e,t=An){let n=ur.exec(e)?.[1]??
"",s=/^\[([^]*)\]$/.exec(n)?.[1];return s===void 0?t(n)&&!n.endsWith("."):s.startsWith("IPv6:")?he(s.slice(5)):le(s)}function An(e){
let t=e.replace(/\.$/,"");return t.length<=253&&t.split(".").every(n=>fr.test(n))}function Sr(e){let t=n=>A(n)<=63&&hr.test(
n)&&!/^-|-$/.test(n);return A(e)<=253&&e.split(".").every(t)}function le(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>xr.test(n)&&Number(n)<256)}function he(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!le(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>$r.test(o))&&(t.length===2?i<8:i===8)}function It(e,t,n){let s=pr.exec(e);if(!s)return!1;
let[,r,i="",o="",a="",c=""]=s;if(r===void 0&&(!t||o.split("/",1)[0].includes(":")))return!1;let u=n?mr:bn,f=n?dr:bn;return Or(
i,u)&&!u.test(o)&&!f.test(a)&&!u.test(c)}function Or(e,t){let n=br.exec(e);if(!n)return!1;let[,s="",r,i=""]=n;return r!==
void 0&&!wr.test(r)&&!he(r)?!1:!t.test(s)&&!t.test(i)}function Mn(e){return(e===""||e.startsWith("/"))&&!/~(?![01])/.test(
e)}function Ar(e){let t=/^(?:0|[1-9]\d*)/.exec(e)?.[0],n=e.slice(t?.length);return t!==void 0&&(n==="#"||Mn(n))}var Z=new Map(
[["date",xn],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&xn(e.slice(0,10))&&$n(e.slice(11))],["duration",e=>cr.test(e)],["\
email",e=>Sn(e)],["hostname",An],["idn-email",e=>Sn(e,Sr)],["ipv4",le],["ipv6",he],["iri",e=>It(e,!1,!0)],["iri-referenc\
e",e=>It(e,!0,!0)],["json-pointer",Mn],["regex",Nt],["relative-json-pointer",Ar],["time",$n],["uri",e=>It(e,!1,!1)],["ur\
i-reference",e=>It(e,!0,!1)],["uri-template",e=>!gr.test(e.replace(yr,"-"))],["uuid",e=>lr.test(e)]]);var jn=new Set(["any","bool","false","int","never","null","num","str","true"]),lt="...",Nn=2**53-1,Mr=24,kr="str|num|boo\
l|[any]|{any}|null";function In(e){return Pt(e)+new it(!1).members(e.args)}function de(e){let t=e.map(n=>Pt(n)+new me(!1).
members(n.args)).map(n=>[[...n].map(s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>Er(n,s)),pn(t.map(([,n])=>n).join(
`
`)).slice(0,8)}function Er(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function Pt(e){
return e.alias?`${ft(e.alias)}=${ft(e.name)}`:ft(e.name)}function Lt(e){return e===lt?`"${e}"`:ft(e)}function ft(e){return ct(
e)?e:_t(e)}function _t(e){return(F.test(e)?null:Mt(e))??`@${JSON.stringify(e).replace(new RegExp(F,"gu"),Ve)}`}function ge(e){
return se.test(e)&&h.takesBare(e)?e:_t(e)}function Tn({examples:e=[],pattern:t="",description:n,default:s}){for(let i of e){
let o=ht(i),a=typeof i=="string"&&n.includes(i),c=s!==void 0&&o===ht(s);if(kn(o)&&!a&&!c)return`e.g. ${o}`}return!F.test(
t)&&!n.includes(t)&&kn(t)?`pattern ${t}`:""}function kn(e){return[...e].length<=Mr}var it=class{constructor(t){this.limits=
t,this.defaults=!0}members(t){return`(${this.parts(t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(
s),s]);return t.extra?[...n,[`${lt}:${this.type(t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=Lt(t.name)+(t.required?
"":"?")+(n==="str"?"":`:${n}`);return this.defaults&&!t.required&&t.default!==void 0&&t.default!==null?`${s}=${ht(t.default)}`:
s}type(t){if(x(t,h))return t.recursion?this.recursion(t.recursion):"any";let{string:n,number:s,booleans:r,array:i,object:o}=t,
a=[];n&&a.push(...n.values?n.values.map(u=>this.label(u)):[this.stringKind(n)]),s&&a.push(...s.values?s.values.map(J):[this.
numberKind(s)]),r.length&&a.push(r.length>1?"bool":String(r[0])),i&&a.push(this.arrayKind(i)),o&&a.push(o.isMap?`{${this.
type(o.extra)}}`:this.object(o)),t.null&&a.push("null");let c=a.join("|")||"never";return c===kr?"any":c}recursion(t){return"\
any"}stringKind({format:t,min:n,max:s}){return this.limits?t??`str${pe(n,s)}`:"str"}numberKind(t){return(t.integer?"int":
"num")+(this.limits?jr(t):"")}arrayKind({items:t,min:n,max:s,positions:r,further:i}){if(!this.limits)return`[${this.type(
t)}]`;let o=r.map(c=>this.type(c));if(o.length<2&&(!o.length||!i))return`[${this.type(t)}]${pe(n,s)}`;i&&o.push(`${lt}:${this.
type(i)}`);let a=n===r.length&&s===(i?void 0:r.length);return`[${o.join(" ")}]${a?"":pe(n,s)}`}label(t){return jn.has(t)||
Z.has(t)||t.startsWith("@")?_t(t):ge(t)}object(t){return t.branches.length?[...new Set(t.branches.map(n=>this.object(n)))].
join("|"):this.members(t)}},me=class extends it{constructor(){super(...arguments),this.defaults=!1}label(t){return jn.has(
t)||t.startsWith("@")?_t(t):ge(t)}};function pe(e,t){return Rn(En(e||void 0),En(t))}function En(e){return e===void 0||e>=
Nn?"":String(e)}function jr({minimum:e,maximum:t,exclusiveMinimum:n,exclusiveMaximum:s}){let[r,i]=[Rt(e),Rt(t)],[o,a]=[Rt(
n,">"),Rt(s,"<")];return o&&!(r&&e>n)&&(r=o),a&&!(i&&t<s)&&(i=a),Rn(r,i)}function Rt(e,t=""){return e===void 0||!(Math.abs(
Number(e))<Nn)?"":t+J(e)}function Rn(e,t){return e===t?e&&`(${e})`:`(${e}..${t})`}function ht(e){return typeof e=="strin\
g"?ge(e):S(e)?J(e):Array.isArray(e)?`[${e.map(ht).join(" ")}]`:e instanceof Map?`{${[...e].map(([t,n])=>`${ft(t)} ${ht(n)}`).
join(" ")}}`:String(e)}var Nr=20,Ir=/[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,Tr=new RegExp(F,"gu"),ye="Tools: \
name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default; a|b is \
a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",Rr={wire:`${ye} its name and the val\
ues in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key\
 value}; _ for what you leave out, or name=value.`,keyed:`${ye} its name, then name=value for each, with spaces between;\
 "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${ye} name(par\
ameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function Ln(e,{descriptions:t=!0,
primer:n,limits:s=!0}={}){let r=new Dt(t,s),i=[...r.define(e),...e.map(a=>r.tool(a))],o=n&&Rr[n];return[...o?[o]:[],...i].
join(`
`)}var Dt=class extends it{constructor(t,n){super(n),this.descriptions=t,this.names=new Map,this.recursive=new Map,this.
current=null}recursion(t){let n=this.current&&this.recursive.get(this.current)?.get(t.name);return n?this.joinUnion(n,t):
"any"}joinUnion(t,{others:n}){return n?`${t}|${this.type(n)}`:t}tool(t){this.current=t;let n=Pt(t);if(!this.descriptions)
return n+this.members(t.args);let s=[Pn(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${Pn(r,i?this.describe(
i):"")}`),i&&s.push(...be(this.inside(i.type,Lt(i.name))));return s.join(`
`)}define(t){let n=t.flatMap(o=>[..._n(o.args,"")].map(([a,c])=>({tool:o,name:a,node:c,text:this.text(c)}))),s=new Map;for(let{
text:o}of n)s.set(o,(s.get(o)??0)+1);let r=this.nameArguments(t),i=[];for(let o of n){let{tool:a,name:c,node:u,text:f}=o,
m=this.isRecursive(u);if((m||s.get(f)>1&&[...f].length>=Nr)&&!this.names.has(f)){let g=m&&u.name?u.name:c,$=ct(g)?g:"obj\
ect",B=$;for(let X=2;r.has(B);X+=1)B=`${$}${X}`;r.add(B),this.names.set(f,`@${B}`),i.push(o)}m&&this.setRecursive(a,u.name,
this.names.get(f))}return i.map(({tool:o,node:a,text:c})=>(this.current=o,[`${this.names.get(c)}=${this.members(a)}`,...this.
descriptions?be(this.about(a,"")):[]].join(`
`)))}nameArguments(t){let n=new Set;for(let s of t){let r=s.alias||s.name;!this.isRecursive(s.args)||!ct(r)||(this.setRecursive(
s,s.args.name,`@${r}`),n.add(r))}return n}setRecursive(t,n,s){let r=this.recursive.get(t)??new Map;r.has(n)||r.set(n,s),
this.recursive.set(t,r)}isRecursive(t){return this.limits&&t.name!==null&&Se(t,t.name,new Set)}object(t){let n=Ct(t);return n.
length>1?[...new Set(n.map(s=>this.object(s)))].join("|"):this.names.size&&this.names.get(this.text(t))||this.members(t)}text(t){
let n=new we(!0,this.limits);return[n.members(t),...this.descriptions?be(n.about(t,"")):[]].join(`
`)}inside(t,n){if(t===h)return[];let s=t.array?this.inside(t.array.items,n):[];for(let r of t.object?Ct(t.object):[])this.
names.size>0&&this.names.has(this.text(r))||s.push(...this.about(r,`${n}.`));return s}describe(t){let n=this.limits?Tn(t):
"";return[t.description,n].map(Dn).filter(Boolean).join(" ")}about(t,n){let s=t.params.flatMap(r=>{let i=n+Lt(r.name),o=this.
describe(r);return[...o?[[i,o]]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.inside(t.extra,n+lt)]:s}},we=class extends Dt{recursion(t){
return this.joinUnion(`@ ${t.name}`,t)}};function Se(e,t,n){let s=e.params.map(r=>r.type);return e.extra&&s.push(e.extra),
s.some(r=>xe(r,t,n))||e.branches.some(r=>Se(r,t,n))}function xe(e,t,n){if(e.recursion)return e.recursion.name===t||e.recursion.
others!==null&&xe(e.recursion.others,t,n);if(x(e,h)||n.has(e))return!1;n.add(e);let{array:s,object:r}=e;return(s?[s.items,
...s.positions,...s.further?[s.further]:[]]:[]).some(o=>xe(o,t,n))||r!==null&&Se(r,t,n)}function be(e){let t=new Map;for(let[
n,s]of e)t.has(n)||t.set(n,`  ${n} ${s}`);return[...t.values()]}function Ct(e){return e.branches.length?e.branches.flatMap(
Ct):[e]}function*_n(e,t){for(let n of e.params)yield*$e(n.type,n.name);e.extra&&(yield*$e(e.extra,t))}function*$e(e,t){if(e!==
h){e.array&&(yield*$e(e.array.items,t));for(let n of e.object?Ct(e.object):[])yield*_n(n,t),n.params.length&&(yield[t,n])}}
function Pn(e,t){let n=Dn(t);return n?`${e} ${n}`:e}function Dn(e){return e.split(Ir).filter(Boolean).join(" ").replace(
Tr,"\uFFFD")}var Cn=1e6,Pr=100;function z(e){if(e.some(r=>x(r,h)))return{type:Lr(e)??h,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(
u=>u!==null);if(o.every(u=>K(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>K(u,a)),a};return{type:new w(
{null:e.some(r=>r.null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),_r),string:n(
e.map(r=>r.string),Dr),array:n(e.map(r=>r.array),Cr),object:n(e.map(r=>r.object),zr)}),isExact:t}}function Lr(e){let t=e.
map(a=>a.recursion).filter(a=>a!==null),n=t[0]?.name;if(n===void 0||t.some(a=>a.name!==n))return null;let r=[...e.filter(
a=>a.recursion===null),...t.map(a=>a.others).filter(a=>a!==null)];if(r.some(a=>x(a,h)))return null;let i=r.length?z(r).type:
null,o=i?.object?zt(i.object,[]):null;return new w({...h,recursion:{name:n,others:i&&new w({...i,object:o})}})}function _r(e){
let t=e.every(i=>i.integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[W(o),o]));return[
new I({integer:t,values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new I({integer:t}),!1];let n=i=>{let o=e.
map(a=>a[i]);return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?zn:qn)},s={minimum:n("minimum"),maximum:n("maximum")},
r={exclusiveMinimum:n("exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new I({integer:t,...s,...r}),!1]}
var zn=(e,t)=>t<e?t:e,qn=(e,t)=>t>e?t:e;function Dr(e){if(e.every(n=>n.values))return[new E({values:[...new Set(e.flatMap(
n=>n.values))]}),!0];if(e.some(n=>n.values))return[new E,!1];let t=e.every(n=>n.format===e[0].format)?e[0].format:void 0;
return[new E({min:Math.min(...e.map(n=>n.min)),max:Bn(e),format:t}),!1]}function Cr(e){let t=z(e.map(n=>n.items)).type;return[
new R(t,Math.min(...e.map(n=>n.min)),Bn(e)),!1]}function Bn(e){let t=e.map(n=>n.max);return t.includes(void 0)?void 0:Math.
max(...t)}function Un(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):void 0}function Hn(e,t){
let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);return Fn(n.size,t.length),n}function Fn(e,t){
if(e*t>Cn)throw new l("E505",`objects combine to over ${Cn} members`)}function zr(e){let t=e.filter(i=>i.extra!==null&&i.
extra!==M),n=!1,s=[...Hn(e,t)].map(([i,o])=>{let a=t.filter(f=>!f.byName.has(i)).map(f=>f.extra),c=z([...o.map(f=>f.type),
...a]).type,u=o.length===e.length&&o.every(f=>f.required);return!u&&o.some(f=>f.required)&&(n=!0),x(c,h)&&o.some(f=>!x(f.
type,h))&&(n=!0),{...o[0],type:c,required:u}}),r=null;return t.length?r=z(t.map(i=>i.extra)).type:e.some(i=>i.extra===M)&&
(r=M),[qr(new b(s,r),e,n),!1]}function qr(e,t,n){let s=t.flatMap(r=>r.branches.length?r.branches:[r]);if(s.length>Pr||!s.
every(r=>r.params.length))return e;for(let r of[t,s]){let i=r[0].params.find(({name:o})=>Wn(o,r));if(i)return Jn(e,i.name,
r)}return n?new b(e.params,e.extra,s):e}function Wn(e,t){let n=t.map(r=>Br(r.byName.get(e))),s=n.flat();return n.every(r=>r.
length)&&new Set(s).size===s.length}function Br(e){if(!e?.required)return[];let{string:t,number:n,booleans:s,array:r,object:i}=e.
type;return[t,n].some(a=>a&&!a.values)||e.type.null||r||i||s.length>1?[]:[...t?.values??[],...(n?.values??[]).map(W),...s]}
function Jn(e,t,n){let{params:s,extra:r}=Oe(t,e);return new b(s,r,n.map(i=>Oe(t,i)),t)}function Oe(e,t){let n=r=>r.name===
e,s=[...t.params.filter(n),...t.params.filter(r=>!n(r))];return new b(s,t.extra,t.branches.map(r=>Oe(e,r)),t.label,t.name)}
function zt(e,t){let n=e.branches.map(r=>zt(r,t));if(e.extra!==M)return new b(e.params,e.extra,n,e.label,e.name);let s=[
...e.params,...t.filter(r=>!e.byName.has(r.name))];return new b(s,null,n,e.label,e.name)}function Kn(e,t){let n=e.map(o=>o.
object).filter(o=>o?.extra===M),s=new Map;for(let o of n)for(let a of o.byName.keys())s.set(a,(s.get(a)??0)+1);let r=([o,
a])=>a<n.length&&t.some(c=>c.has(o)),i=new Set([...s].filter(r).map(([o])=>o));return i.size?e.map(o=>o.object?.extra!==
M?o:new w({...o,object:Gn(o.object,i)})):e}function Gn(e,t){let n=e.params.filter(s=>!t.has(s.name));return e.label!==null&&
t.has(e.label)?new b(n,e.extra,[],null,e.name):new b(n,e.extra,e.branches.map(s=>Gn(s,t)),e.label,e.name)}function Xn(e){
let t=r=>e.filter(r).length,n=e.flatMap(r=>r.booleans),s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.
length>1&&(i.some(a=>!a.values)||new Set(o.map(String)).size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||
s(e.map(r=>r.number))||s(e.map(r=>r.string))||t(r=>r.array)>1||t(r=>r.object)>1}function pt(e){let t=e.filter(s=>!x(s,h));
if(t.length<2)return t[0]??e.find(s=>s.recursion!==null)??h;let n=(s,r)=>{let i=s.filter(o=>o!==null);return i.length<s.
length?null:i.every(o=>K(o,i[0]))?i[0]:r(i)};return new w({null:t.every(s=>s.null),booleans:[!1,!0].filter(s=>t.every(r=>r.
booleans.includes(s))),number:n(t.map(s=>s.number),Ur),string:n(t.map(s=>s.string),Hr),array:n(t.map(s=>s.array),Fr),object:n(
t.map(s=>s.object),Yn)})}function Ur(e){let t=e.some(c=>c.integer),n=c=>{let u=e.map(f=>f[c]).filter(f=>f!==void 0);return u.
length?u.reduce(/min/i.test(c)?qn:zn):void 0},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n("exclu\
siveMinimum"),exclusiveMaximum:n("exclusiveMaximum")},i=new I({integer:t,...s,...r}),o=e.filter(c=>c.values);if(!o.length)
return i;let a=o[0].values.filter(c=>[i,...o].every(u=>u.refuse(c)===null));return a.length?new I({integer:t,values:a}):
null}function Hr(e){let t=e.find(i=>i.format!==void 0)?.format,n=new E({min:Math.max(...e.map(i=>i.min)),max:Un(e),format:t}),
s=e.filter(i=>i.values);if(!s.length)return n;let r=s[0].values.filter(i=>[n,...s].every(o=>o.refuse(i)===null));return r.
length?new E({values:r}):null}function Fr(e){let t=pt(e.map(n=>n.items));return new R(t,Math.max(...e.map(n=>n.min)),Un(
e))}function Yn(e){let t=e.filter(s=>s.extra!==M&&!(s.extra&&x(s.extra,h))),n=[];for(let[s,r]of Hn(e,t)){let i=r.some(u=>u.
required),o=t.filter(u=>!u.byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}let a=pt([...r.
map(u=>u.type),...o]),c=r.find(u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}return Wr(new b(
n,Jr(e.map(s=>s.extra))),e)}function Wr(e,t){let n=t.filter(a=>a.branches.length),s=n[0];if(!s||n.length>1)return e;Fn(e.
params.length,s.branches.length);let i=s.branches.map(a=>Yn(t.map(c=>c===s?a:c))).filter(a=>a!==null),{label:o}=s;return i.
length?o===null?new b(e.params,e.extra,i):Wn(o,i)?Jn(e,o,i):e:e}function Jr(e){if(e.includes(null))return null;let t=e.filter(
s=>s!==M);return t.length<e.length&&t.every(s=>x(s,h))?M:pt(t)}var Ut=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],P=e=>new Set(e.split(" ")),Kr=P("const default exampl\
e type"),Gr="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|number float Float \
double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array ArrayList Queue Stac\
k|object dict Dict Object Map HashMap Hashtable|any Any",mt=new Map([["","any"]]);for(let e of Gr.split("|"))for(let t of e.
split(" "))mt.set(t,e.split(" ")[0]);var Xr=new Map([["array","items"],["object","additionalProperties"]]);function d(e){
return e instanceof Map}var Ht=2020,Qn=new Map;for(let[e,t]of[[6,"const contains propertyNames"],[7,"else if then"],[2019,
"$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties"],[Ht,"\
$dynamicRef prefixItems"]])for(let n of t.split(" "))Qn.set(n,e);function Ft(e,t,n,s){let r=c=>!n||(Qn.get(c)??0)<=s,i=new Map(
[...e].filter(([c,u])=>(u!==null||Kr.has(c))&&r(c))),o=e.get("type"),a=typeof o=="string"&&!["any","object"].includes(mt.
get(o)??"any");typeof i.get("required")=="boolean"&&a&&i.delete("required");for(let[c,u]of[["minimum","exclusiveMinimum"],
["maximum","exclusiveMaximum"]]){let f=i.get(u);typeof f=="boolean"&&(i.delete(u),!(!f||!i.has(c))&&(i.set(u,i.get(c)),i.
delete(c)))}return i.has("type")?Yr(i,t,n):i}function Yr(e,t,n){let s=e.get("type"),r=typeof s=="string"&&!mt.has(s)?Zr(
s):null;r&&(e=new Map([...r,...e]),s=r.get("type")),gt("type",s,`${t}/type`);let i=[s].flat().map(f=>mt.get(f)),o=i.indexOf(
void 0);if(o>=0)throw new l("E501",`no type has the name ${y([s].flat()[o])}`,{pointer:`${t}/type`});i.includes("any")?e.
delete("type"):e.set("type",i);let a=e.get("enum"),c=e.get("items")??new Map,u=Array.isArray(a)&&a.length>0&&!a.some(Array.
isArray);return i.join()==="array"&&d(c)&&u&&!n&&(e.set("items",new Map([...c,["enum",a]])),e.delete("enum")),e}function Zr(e){
let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&t.endsWith("]"),s=n?t.slice(9,-1):
t,r=s.indexOf("["),i=mt.get(r<0?s:s.slice(0,r)),o=Xr.get(i??"");if(i===void 0||r>=0&&!(o&&s.endsWith("]")))return null;let a=new Map(
[["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),f=i==="array"?c:u<0?"":c.slice(u+1);a.set(o,new Map([["typ\
e",f.trim()]]))}return n?a.set("nullable",!0):a}var Vr=P("$defs additionalItems additionalProperties const contains defa\
ult definitions dependencies dependentSchemas else example if items not patternProperties properties propertyNames then \
unevaluatedItems unevaluatedProperties");function vn(e){let t=r=>d(r)&&typeof r.get("type")=="string";if(e.size===0||![...e.
values()].every(t)||[...e.keys()].some(r=>Vr.has(r)))return e;let s=[...e].filter(([,r])=>!r.has("default")&&!r.get("typ\
e").endsWith("optional"));return new Map([["type","object"],["properties",e],["required",s.map(([r])=>r)]])}var Me=e=>typeof e==
"string",ke=e=>typeof e=="boolean",Wt=e=>typeof e=="string"&&!U.test(e),qt=e=>typeof e=="bigint"?At(e):typeof e=="number"&&
Number.isFinite(e),Qr=e=>S(e)&&qt(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),Ae=e=>Array.isArray(e)&&e.every(Wt),
vr=e=>Array.isArray(e)&&e.length>0,Zn=e=>ke(e)||d(e),Vn=e=>Me(e)&&Nt(e),ti=e=>d(e)&&[...e.keys()].every(Wt),ts=new Map;for(let[
e,t]of[["$ref format $dynamicRef $recursiveRef",Me],["type",n=>Me(n)||Ae(n)],["required",Ae],["additionalItems",Zn],["it\
ems",n=>Zn(n)||Array.isArray(n)],["pattern",Vn],["patternProperties",n=>d(n)&&[...n.keys()].every(Vn)],["prefixItems",Array.
isArray],["dependencies dependentSchemas",ti],["properties",d],["enum",Array.isArray],["anyOf oneOf allOf",vr],["minCont\
ains maxContains minItems maxItems minLength maxLength minProperties maxProperties",Qr],["nullable uniqueItems",ke],["mu\
ltipleOf",n=>S(n)&&qt(n)&&n>0],["dependentRequired",n=>d(n)&&[...n.values()].every(Ae)],[Ut.join(" "),qt]])for(let n of e.
split(" "))ts.set(n,t);function gt(e,t,n){if(ts.get(e)?.(t)===!1)throw new l("E502",`${e} cannot be ${y(t)}`,{pointer:n});
if(e==="properties")for(let s of t.keys())Bt(s,n);if(e==="required"&&Array.isArray(t))for(let s of t)Bt(s,n)}function Bt(e,t){
let n=F.exec(e)?.[0];if(n===void 0)return;let s=n.codePointAt(0).toString(16).toUpperCase().padStart(4,"0");throw new l(
"E502",`${y(e)} cannot be a name: U+${s}`,{pointer:t})}function Ee(e){return e===null||ke(e)||Wt(e)||qt(e)}function dt(e,t=0){
return t>64?!1:d(e)?[...e].every(([n,s])=>Wt(n)&&dt(s,t+1)):Array.isArray(e)?e.every(n=>dt(n,t+1)):Ee(e)}var ei=P("additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluate\
dProperties"),ni=P("allOf anyOf items oneOf prefixItems"),si=P("$defs definitions dependencies dependentSchemas patternP\
roperties properties"),je="lton:///";function yt({draft:e}){return e<2019}function Jt({draft:e}){return e<6?"id":"$id"}var ot=class e{constructor(t,n){
this.resource=t,this.known=n}static of(t){let n=new Ne(t);return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){
return t===this.resource.schema||!t.has(Jt(this.resource))?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){
let[s,r]=ns(this.resource.address,t)??[],i=s===void 0?void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;
throw new l("E504",`no schema here has the name ${JSON.stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=oi(n);if(s===
"")return{target:t.schema,scope:this.in(t)};if(!s.startsWith("/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,
scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split("/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.
isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=d(r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(
r,t)}return{target:r,scope:this.in(t)}}},Ne=class{constructor(t){this.byAddress=new Map,this.bySchema=new Map,this.root=
es(t,{address:"",draft:Ht})}resourceOf(t,n){return this.look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),
this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of ri(this.root))this.byAddress.set(t.address,t),this.bySchema.
set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.root)}}};function ri(e){let t=[e],n=[[e.schema,e]],s=new Set;
for(;n.length;){let[r,i]=n.pop();if(!d(r)||s.has(r))continue;s.add(r);let o=r.get(Jt(i));if(o!=null&&typeof o!="string"&&
Jt(i)==="$id")throw Ie();typeof o=="string"&&r!==e.schema&&!(yt(i)&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(
1),r):t.push(i=es(r,i)));for(let a of["$anchor","$dynamicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),
a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of ii(r))n.push([a,i])}return t}function es(e,t){let{draft:n}=t,s=d(
e)?e.get("$schema"):void 0;if(typeof s=="string"){let o=/draft-0([0-9])|draft\/([0-9]{4})-/.exec(s);n=o?Number(o[1]??o[2]):
Ht}let r=d(e)?e.get(Jt({draft:n})):void 0,i=typeof r=="string"?ns(t.address,r)?.[0]:"";if(i===void 0)throw Ie();return{address:i,
schema:e,draft:n,anchors:new Map,dynamic:new Map}}function*ii(e){for(let[t,n]of e)if(si.has(t)&&n!==null){if(!d(n))throw Ie();
yield*n.values()}else ni.has(t)&&Array.isArray(n)?yield*n:ei.has(t)&&(yield n)}function Ie(){return new l("E502","expect\
ed a schema, found something else in a part of it")}function ns(e,t){let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")
return[e,s];try{let r=new URL(n,e.includes(":")?e:je+e).href;return[r.startsWith(je)?r.slice(je.length):r,s]}catch{return null}}
function oi(e){try{return decodeURIComponent(e)}catch{return e}}var Te=1e7,ai=20,ci=30,ui=100,fi=P("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),Yt=class extends Error{};
function us(e,t){let n=ot.of(e),s=new Re(t);return r=>{let i=new Pe(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
Yt)return{path:[],problem:`it takes more than ${Te} steps to check the arguments`,code:"E506"};if(o instanceof l||o instanceof
RangeError)return O(`the arguments cannot be checked: ${o.message}`);throw o}}}var Re=class{constructor(t){this.standard=
t,this.plans=new Map,this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=li(t,n,this.
standard),i=[...$i].filter(([a])=>r.has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedPr\
operties");s={keywords:r,judges:i,asksForMarks:o,isKept:[...r.keys()].some(a=>fi.has(a))},this.plans.set(t,s)}return s}matcher(t){
let n=this.matchers.get(t);return n===void 0&&this.matchers.set(t,n=rt.of(t)),n}},Pe=class{constructor(t,n,s){this.value=
t,this.known=n,this.formats=s,this.steps=0,this.limit=Te,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=
this.limit)&&(this.limit=Te+ai*H(this.value),this.steps>this.limit))throw new Yt}}judge(t,n,s,r,i){if(!d(t))return t===!1?
O("nothing is allowed here"):null;this.spend(ui),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.
plan(t,s.resource),a=i===null&&o.isKept?this.keptOf(t,n):null,c=a?.find(([p])=>p.length===r.length&&p.every((g,$)=>g===r[$]));
if(c)return c[1];this.spend(20*o.judges.length);let u=i??(o.asksForMarks?new Set:null),f=new Le(this,o.keywords,s,r,u),m=null;
for(let[[p,g],$]of o.judges)if(p(n)&&(m=g($,n,f)))break;return a?.push([r,m]),m}keptOf(t,n){let s=this.judged.get(t)??new Map,
r=s.get(n)??[];return s.set(n,r),this.judged.set(t,s),r}},Le=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
scope=s,this.around=r,this.marks=i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.
marks&&new Set,r=this.judge(t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.
judge(t,n);return r&&{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.
at(s)}}at(t){return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.
search(n,this.run.spend)??null}};function O(e){return{path:[],problem:e,code:"E214"}}function H(e){let t=ci;if(typeof e==
"string")t+=A(e);else if(Array.isArray(e))for(let n of e)t+=H(n);else if(typeof e=="object"&&e!==null){let n=e instanceof
Map?e:Object.entries(e);for(let[s,r]of n)t+=A(s)+H(r)}return t}function Q(e){return S(e)?String(W(e)):Array.isArray(e)?`\
[${e.map(Q).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([
n,s])=>`${JSON.stringify(n)}:${Q(s)}`).sort().join()}}`}function li(e,t,n){let s=new Map(Ft(e,"",n,t.draft));if(yt(t)&&s.
has("$ref"))return new Map([["$ref",s.get("$ref")]]);Array.isArray(s.get("items"))&&(s.set("prefixItems",s.get("items")),
s.delete("items"),s.has("additionalItems")&&s.set("items",s.get("additionalItems")));for(let[i,o]of s.get("dependencies")??
[]){let a=Array.isArray(o)?"dependentRequired":"dependentSchemas";s.set(a,new Map([...s.get(a)??[],[i,o]]))}for(let[i,o]of s)
gt(i,o,"");let r=s.get("nullable")===!0;return s.delete("nullable"),r?new Map([["anyOf",[s,new Map([["type",["null"]]])]]]):
s}var L=()=>!0,bt=e=>typeof e=="string",G=e=>Array.isArray(e),hi={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>S(
e)&&Ot(e),number:S,string:bt,array:G,object:N};function T(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var Kt=(e,t)=>(n,s)=>t(
s,n)?null:O(`${s} is not ${e} ${String(n)}`),at=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:O(`a size of ${i}, not ${e}\
 ${String(s)}`)},Gt=(e,t)=>e>=t,Xt=(e,t)=>e<=t,ss=e=>Object.keys(e).length;function rs(e){if(typeof e=="bigint")return[e,
0];let[t="",n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-
s-1)]}function pi(e,t){let[[n,s],[r,i]]=[rs(e),rs(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}
var is=(e,t)=>{let n=e.find(s=>!k(t,s));return n===void 0?null:O(`${y(n)} is missing`)},os=(e,t,n,s)=>e===!1?O(`${y(n)} \
is not allowed here`):s.inner(e,t[n],n);function fs(e,t,n,s){let r=new Set(t.filter(as).map(u=>u.path[0])),i=t.flatMap((u,f)=>as(
u)?[]:[f]),[o]=i;if(o!==void 0&&i.length===1&&r.size===1){let[u]=r;if(mi(e[o],u,s))return t[o]}let a=Math.max(...t.map(u=>u.
path.length)),c=t.filter(u=>u.path.length===a);return c.length===1?c[0]:O(`${y(n)} is allowed by no schema`)}function as(e){
return e.isOfList===!0&&e.path.length===1}function mi(e,t,n){let s=d(e)?e.get("$ref"):void 0,r=s===void 0?e:n.lookup(s).
target,i=d(r)?r.get("properties"):null;return d(i)&&i.has(String(t))}function di(e,t,n){let s=t.flatMap((o,a)=>n.judge(e,
o)?[]:[a]);for(let o of s)n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;
return r<=s.length&&s.length<=i?null:O(`${s.length} items match \`contains\``)}function gi(e,t,n){let{target:s,there:r}=n.
lookup(e),i=e.slice(e.lastIndexOf("#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(
a=>a.dynamic.has(i));s=o.dynamic.get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function yi(e,t,n){let{target:s,there:r}=n.
lookup(e),i=o=>d(o)&&o.get("$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=
o.schema,r=r.at(r.scope.in(o))}return r.beside(s,t)}function bi(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)
s.push(i);else if(n.marks===null)return null}return s.length===e.length?fs(e,s,t,n):null}function wi(e,t,n){let s=e.map(
i=>n.beside(i,t)).filter(i=>i!==null),r=e.length-s.length;return r>1?O(`${y(t)} is allowed by ${r} schemas, not by one`):
r?null:fs(e,s,t,n)}function xi(e,t,n){n.run.spend(H(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(e.map(Q))),
s.get(e).has(Q(t))}var $i=new Map([["type",[L,(e,t)=>e.some(n=>hi[n](t))?null:O(`${y(t)} is not of type ${String(e)}`)]],
["enum",[L,(e,t,n)=>xi(e,t,n)?null:{...O(`${y(t)} is not listed`),isOfList:!0}]],["const",[L,(e,t,n)=>(n.run.spend(H(t)+
H(e)),Q(t)===Q(e)?null:{...O(`${y(t)} is not ${y(e)}`),isOfList:!0})]],["minimum",[S,Kt("at least",Gt)]],["maximum",[S,Kt(
"at most",Xt)]],["exclusiveMinimum",[S,Kt("more than",(e,t)=>e>t)]],["exclusiveMaximum",[S,Kt("less than",(e,t)=>e<t)]],
["multipleOf",[S,(e,t)=>pi(t,e)?null:O(`${t} is not a multiple of ${String(e)}`)]],["minLength",[bt,at("at least",A,Gt)]],
["maxLength",[bt,at("at most",A,Xt)]],["minItems",[G,at("at least",e=>e.length,Gt)]],["maxItems",[G,at("at most",e=>e.length,
Xt)]],["minProperties",[N,at("at least",ss,Gt)]],["maxProperties",[N,at("at most",ss,Xt)]],["pattern",[bt,(e,t,n)=>n.matches(
e,t)===!1?O(`${y(t)} does not match ${y(e)}`):null]],["format",[bt,(e,t,n)=>{let s=n.run.formats?Z.get(e):void 0;return s&&
n.run.spend(t.length),s?.(t)===!1?O(`${y(t)} is not a ${String(e)}`):null}]],["required",[N,(e,t)=>is(e,t)]],["dependent\
Required",[N,(e,t)=>T(e,([n,s])=>k(t,n)?is(s,t):null)]],["uniqueItems",[G,(e,t,n)=>(n.run.spend(H(t)),e&&new Set(t.map(Q)).
size<t.length?O("an item is there twice"):null)]],["propertyNames",[N,(e,t,n)=>{let s=T(Object.keys(t),r=>n.judge(e,r));
return s&&{...s,path:[]}}]],["additionalProperties",[N,(e,t,n)=>{let s=n.keywords.get("properties"),r=[...n.keywords.get(
"patternProperties")?.keys()??[]],i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return T(Object.keys(t),o=>i(o)?os(e,
t,o,n):null)}]],["prefixItems",[G,(e,t,n)=>T(e.slice(0,t.length).entries(),([s,r])=>n.inner(r,t[s],s))]],["items",[G,(e,t,n)=>{
let s=(n.keywords.get("prefixItems")??[]).length;return T(t.slice(s).entries(),([r,i])=>n.inner(e,i,s+r))}]],["contains",
[G,di]],["properties",[N,(e,t,n)=>T(Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],["patternProperties",[N,
(e,t,n)=>T(e,([s,r])=>T(Object.keys(t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[L,(e,t,n)=>{let{target:s,there:r}=n.
lookup(e);return r.beside(s,t)}]],["$dynamicRef",[L,gi]],["$recursiveRef",[L,yi]],["allOf",[L,(e,t,n)=>T(e,s=>n.beside(s,
t))]],["anyOf",[L,bi]],["oneOf",[L,wi]],["if",[L,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"then")??!0,t)]],
["dependentSchemas",[N,(e,t,n)=>T(e,([s,r])=>k(t,s)?n.beside(r,t):null)]],["not",[L,(e,t,n)=>n.judge(e,t)?null:O(`${y(t)}\
 is what \`not\` excludes`)]],["unevaluatedItems",[G,(e,t,n)=>T(t.entries(),([s,r])=>n.marks.has(s)?null:n.inner(e,r,s))]],
["unevaluatedProperties",[N,(e,t,n)=>T(Object.keys(t),s=>n.marks.has(s)?null:os(e,t,s,n))]]]);var Oi=["enum","const","anyOf","oneOf","allOf"],Ai=["properties","additionalProperties","patternProperties","$ref",...Oi],
Mi=[...P("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),...Ut],ki=P("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),Ei=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],ji=10;function ps(e,t,n){!n&&d(e)&&(e=
Ii(e));let s=new _e(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new l("E502","expected the schema of an obje\
ct",{pointer:t});let i=s.recursive.get(e)??r.name;return{args:new b(r.params,r.extra,[],null,i),isChecked:s.isChecked,notes:s.
notes}}function Ni(e,t){let{object:n}=e;return t===void 0||!n||n.branches.length?e:new w({...e,object:new b(n.params,n.extra,
[],n.label,t)})}function Ii(e){return Ai.some(n=>(e.get(n)??null)!==null)?e:new Map([...e,["properties",new Map]])}var _e=class{constructor(t,n,s){
this.root=n,this.standard=s,this.isChecked=!1,this.notes={unmatched:[],unsayable:[],defaulted:[]},this.positions=0,this.
texts=0,this.repeated=0,this.steps=0,this.done=new Map,this.open=new Map,this.recursive=new Map,this.mentioned=new Map,this.
declared=[],this.scope=ot.of(d(t)?t:new Map),this.open.set(t,1)}count(t){if(this.positions+=t,this.positions+Math.floor(
this.repeated/100)>1e5)throw new l("E505",`a schema of more than ${1e5} positions`,{pointer:this.root})}countTexts(t,n){
this.texts+=t,n&&(this.repeated+=t),this.count(0)}mention(t,n){this.mentioned.set(t,[...this.mentioned.get(t)??[],...n])}apart(t){
let{mentioned:n,declared:s}=this;this.mentioned=new Map,this.declared=[];let r={type:t(),mentioned:this.mentioned};return this.
mentioned=n,this.declared=s,r}position(t,n,s,r){this.steps+=1;let{type:i,mentioned:o}=this.apart(()=>this.schema(t,n,s,r));
this.steps-=1;let{object:a}=i;if(!a||a.extra!==M&&!a.branches.length)return i;let u=[...o.keys()].filter(f=>!a.byName.has(
f)).map(f=>({name:f,type:z(o.get(f)).type,required:!1,description:""}));return new w({...i,object:zt(a,u)})}schema(t,n,s,r){
if(r>64)throw new l("E301",`nested deeper than ${64}`,{pointer:n});if(this.count(1),typeof t=="boolean")return t?h:ie;if(!d(
t))throw new l("E502",`expected a schema, found ${y(t)}`,{pointer:n});s=s.inside(t);let i=new De(this,Ft(t,n,this.standard,
s.resource.draft),n,s,r);i.look();try{let o=i.compile();return x(o,h)&&!o.recursion?h:o}catch(o){throw!(o instanceof l)||
o.pointer!==void 0?o:new l(o.code,o.problem,{pointer:n})}}},De=class{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
place=s,this.scope=r,this.depth=i}at(...t){return this.place+v(t)}inner(t,...n){return this.run.position(t,this.at(...n),
this.scope,this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.depth+1)}all(t){return(this.
keywords.get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??new Map}look(){for(let[t,n]of this.
keywords)gt(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.match([...n.keys()],t):t==="for\
mat"?this.run.isChecked||=!this.run.standard&&Z.has(n):ki.has(t)&&!(t==="uniqueItems"&&n===!1)&&(this.run.isChecked=!0)}match(t,n){
let s=t.map(r=>rt.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),0)/ji)),s.includes(null)?this.run.notes.
unmatched.push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,s=[];if(t.has("$ref")&&(s.push(this.
referenced(t.get("$ref"))),yt(this.scope.resource)))return s[0];let r=this.kinds();r&&s.push(this.byKind(r));let i=n.declared;
n.declared=[...i,...s.flatMap(a=>a.object?.byName??[])],t.has("enum")&&s.push(this.listed("enum",t.get("enum"))),t.has("\
const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])t.has(a)&&s.push(this.union(a));s.push(
...this.all("allOf")),n.declared=i;let o=pt(s);return this.mention(),this.checkHidden(),t.get("nullable")?z([o,new w({null:!0})]).
type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.scope.lookup(t,s);if(n.open.has(r)){if(n.
open.get(r)===n.steps)throw new l("E504","the reference names itself",{pointer:s});n.isChecked=!0;let a=t.slice(t.lastIndexOf(
"/")+1).replace(/^#/,"");return n.recursive.set(r,a),new w({...h,recursion:{name:a,others:null}})}let o=n.done.get(r);if(o)
n.count(o.positions),n.countTexts(o.texts,!0);else{t.startsWith("#/")&&(s=n.root+t.slice(1));let{positions:a,texts:c}=n;
n.open.set(r,n.steps);let u=n.apart(()=>n.schema(r,s,i,this.depth+1));n.open.delete(r),o={...u,type:Ni(u.type,n.recursive.
get(r)),positions:n.positions-a,texts:n.texts-c},n.done.set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);return o.type}union(t){
let n=this.labelled(this.all(t),t),s=Kn(n,this.run.declared),r=z(s);return(!r.isExact||s!==n||t==="oneOf"&&Xn(n))&&(this.
run.isChecked=!0),r.type}labelled(t,n){let s=this.keywords.get("discriminator"),r=d(s)?s.get("propertyName"):null;if(!d(
s)||typeof r!="string")return t;let i=s.get("mapping"),o=d(i)?i:new Map,a=this.keywords.get(n);return t.map((c,u)=>Li(c,
r,Pi(a[u],o)))}mention(){let t=[];for(let n of["if","then","else"])this.keywords.has(n)&&t.push(this.beside(this.keywords.
get(n),n));for(let n of["dependentSchemas","dependencies"])for(let[s,r]of this.members(n))Array.isArray(r)||t.push(this.
beside(r,n,s));for(let{object:n}of t)for(let s of n?.params??[])this.run.mention(s.name,[s.type])}checkHidden(){this.keywords.
has("not")&&this.beside(this.keywords.get("not"),"not");for(let t of["contains","propertyNames","unevaluatedItems","unev\
aluatedProperties"])this.keywords.has(t)&&this.inner(this.keywords.get(t),t)}listed(t,n){let s=n.filter(_i);s.length<n.length&&
this.run.notes.unsayable.push(this.at(t));let r=s.filter(u=>typeof u=="object"&&u!==null);r.length&&(this.run.isChecked=
!0);let i=s.filter(u=>typeof u!="object"||u===null),o=i.find(u=>!Ee(u));if(o!==void 0)throw new l("E502",`a label cannot\
 be ${y(o)}`,{pointer:this.at(t)});let a=i.filter(S),c=i.filter(u=>typeof u=="string");return this.run.countTexts(c.reduce(
(u,f)=>u+A(f),9*s.length),!1),new w({null:i.includes(null),booleans:[!1,!0].filter(u=>i.includes(u)),number:a.length?new I(
{integer:a.every(u=>typeof u=="bigint"),values:a}):null,string:c.length?new E({values:[...new Set(c)]}):null,array:r.some(
Array.isArray)?h.array:null,object:r.some(d)?h.object:null})}kinds(){let{keywords:t}=this;if(t.has("type"))return t.get(
"type");if(!Mi.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:Ei.find(([s])=>t.has(s));return n?[n[1]]:["n\
ull","boolean","number","string","array","object"]}byKind(t){let n=t.includes("number")||t.includes("integer");return new w(
{null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?this.number(!t.includes("number")):null,string:t.
includes("string")?this.string():null,array:t.includes("array")?this.array():null,object:t.includes("object")?this.object():
null})}string(){let t=this.keywords.get("format"),n=typeof t=="string"&&!this.run.standard&&Z.has(t);return new E({min:this.
size("minLength")??0,max:this.size("maxLength"),format:n?t:void 0})}number(t){let n=Ut.map(s=>[s,this.keywords.get(s)]);
return new I({integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.has(t)?Number(this.keywords.get(t)):void 0}array(){
let t=this.keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.isChecked=!0);let s=n?t:this.keywords.get("prefixIt\
ems")??[],r=n?this.keywords.get("additionalItems")??!0:t,i=s.map((m,p)=>this.inner(m,n?"items":"prefixItems",p)),o=this.
size("maxItems");r===!1&&(o=Math.min(o??1/0,s.length));let a=[...i],c=r===!1&&s.length?null:this.inner(r,n?"additionalIt\
ems":"items");o!==void 0&&s.length&&o<=s.length&&(c=null),c&&i.push(c);let u=z(i).type,f=this.size("minItems")??0;return s.
length?new R(u,f,o,a,c):new R(u,f,o)}object(){let t=new Set(this.keywords.get("required")??[]),n=this.members("propertie\
s"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),i=s===M?h:s??ie,o=[...t].filter(a=>!n.has(a));return this.
run.count(o.length),new b([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],s)}extra(){let{keywords:t}=this,
n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.members("patternProperties");
for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedProperties")??!1)!==!1;return n===
void 0&&(this.run.standard||i)?h:n===void 0&&!s.length?t.has("properties")?M:h:n===!1&&!r.size?null:z(s).type}param(t,n,s){
let r=this.inner(n,"properties",t),i=d(n)?n:new Map,o=!1,a=i.get("$ref");if(typeof a=="string"&&a&&!i.get("description")){
let{target:p}=this.scope.inside(i).lookup(a,this.at("properties",t,"$ref"));o=d(p),d(p)&&(i=new Map([...p,...i]))}let c=i.
get("default"),u=i.get("description"),f=typeof u=="string"?u:"",m=c!==void 0&&dt(c)?c:void 0;return s&&m!==void 0&&this.
run.notes.defaulted.push(this.at("properties",t)),this.run.countTexts(A(f)+(m===void 0?0:H(m)),o),{name:t,type:r,required:s,
description:f,default:m,examples:Ti(i),pattern:Ri(i)}}};function Ti(e){let t=e.get("examples"),n=e.get("example");return(Array.
isArray(t)?t:n===void 0?[]:[n]).slice(0,1).filter(dt)}function Ri(e){let t=e.get("anyOf"),n=Array.isArray(t)?t.filter(d).
filter(i=>i.get("type")!=="null"):[],s=n.length===1?n[0]:e,r=s.get("pattern");return typeof r=="string"&&!s.has("format")?
r:""}function Pi(e,t){let n=d(e)?e.get("$ref"):null;if(typeof n!="string")return[];let s=hs(n),r=[...t].filter(([,i])=>typeof i==
"string"&&hs(i)===s);return r.length?r.map(([i])=>i):[s]}function hs(e){return e.slice(e.lastIndexOf("/")+1)}function Li(e,t,n){
let{object:s}=e,r=s?.byName.get(t);if(!s||!r?.type.string||!r.type.hasLabels&&!n.length)return e;let i=r.type.hasLabels?
r.type:new w({string:new E({values:n})}),o={...r,type:i,required:!0,default:void 0},a=s.params.map(c=>c===r?o:c);return new w(
{...e,object:new b(a,s.extra,s.branches,s.label,s.name)})}function _i(e){return typeof e!="string"||!U.test(e)}var Di=["parameters","input_schema","inputSchema"],Ci=["properties","$ref","allOf","anyOf","oneOf"],ms=8,Zt=class e{constructor(t,n=[],s=[],r=[],i=[]){
if(this.tools=t,this.unmatched=n,this.unsayable=s,this.defaulted=r,this.leftOut=i,this.prints=new Map,this.byName=new Map(
t.map(o=>[o.alias||o.name,o])),this.byName.size<t.length||new Set(t.map(o=>o.name)).size<t.length)throw new l("E503","tw\
o tools have one name",{pointer:""})}static from(t,{standard:n=!1,strict:s=!1,toJSONSchema:r}={}){let i=new Map,o=typeof t==
"string"?xt(t):We(Ge(t,r??null,i)),a=d(o)?o.get("tools")??[o]:o;if(!Array.isArray(a))throw new l("E502",`expected tool d\
efinitions, found ${y(a)}`,{pointer:""});let c={unmatched:[],unsayable:[],defaulted:[]},u=[],f=[];for(let[m,p]of a.entries())
try{if(i.has(m))throw i.get(m);u.push(zi(p,`/${m}`,n,c))}catch(g){if(s||!(g instanceof l))throw g;f.push(g)}if(f.length&&
!u.length)throw f[0];return new e(u,c.unmatched,c.unsayable,c.defaulted,f)}toJSON(){return this.tools.map(({name:t,description:n,
schema:s})=>({name:t,...n&&{description:n},parameters:wt(s)}))}toString(){let t=this.tools.slice(0,ms).map(n=>n.name);return`\
<ToolSet of ${this.tools.length}: ${[...t,...this.tools.length>ms?["\u2026"]:[]].join(", ")}>`}get fingerprint(){return de(
this.tools)}fingerprintOf(t){let n=this.prints.get(t.name)??de([t]);return this.prints.set(t.name,n),n}prompt(t={}){return Ln(
this.tools,t)}get signatures(){return this.tools.map(t=>In(t))}};function zi(e,t,n,s){let r=d(e)?e.get("function"):void 0;
if(d(r)&&([e,t]=[r,`${t}/function`]),!d(e))throw new l("E502","expected a tool definition",{pointer:t});let i=!e.has("na\
me")&&Ci.some(m=>e.has(m)),o=e.get(i?"title":"name");if(typeof o!="string"||!o)throw new l("E502",`expected the name of \
a tool, found ${y(o)}`,{pointer:t});Bt(o,t);let a=Di.find(m=>(e.get(m)??null)!==null),c=i?e:new Map([["type","object"]]);
!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),!n&&d(c)&&(c=vn(c));let u=ps(c,t,n);s.unmatched.push(...u.notes.unmatched),s.unsayable.
push(...u.notes.unsayable),s.defaulted.push(...u.notes.defaulted);let f=e.get("description");return{name:o,alias:"",description:typeof f==
"string"?f:"",schema:c,args:u.args,check:u.isChecked?us(c,n):null}}function q(e,t,n){return new l(e,t,{path:v(n)})}function ds(e,t,n=U){if(typeof e=="string"){if(n.test(e))throw q("E401",
"U+0000 or a lone surrogate in a text",t)}else if(typeof e=="bigint"){if(!At(e))throw q("E302",`an integer of more than ${4096}\
 characters`,t)}else if(typeof e=="number"?!Number.isFinite(e):!Bi(e))throw q("E401",`expected a value of JSON, found ${typeof e==
"number"?e:Object.prototype.toString.call(e).slice(8,-1)}`,t)}function*gs(e,t,n=U){for(let[s,r]of e instanceof Map?e:Object.
entries(e)){if(typeof s!="string"||n.test(s))throw q("E401","this cannot be a name",t);r!==void 0&&(yield[s,r])}}function Bi(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}function ys(e,t,n,s){if(!e.length||!e.every(Ce))return null;let r=e.map(m=>Object.keys(m)),i=r.reduce((m,p)=>m+p.length,
0),o=new Set(r.flat()).size;if(o+(o*e.length-i)>=i)return null;let a=bs(e,t,s),c=a.flatMap(m=>m.cells),u=e.map((m,p)=>{let g=c.
map($=>$[p]);for(;g.at(-1)==="_";)g.pop();return nt([...n.slice(p,p+1),...g])}),f=`(${nt(a.map(m=>m.head))})`;return s?`${e.
length}${f}
${u.join(`
`)}`:`${f}${u.join(";")}`}function bs(e,t,n){let s=t.inner(),r=new Set(e.flatMap(o=>Object.keys(o))),i=(n?[...r]:_(r)).map(
o=>{let a=e.map(u=>k(u,o)?u[o]:void 0);if(s&&Ui(a)){let u=bs(a,s,n);return{order:2,head:`${D(o)}(${nt(u.map(f=>f.head))}\
)`,cells:u.flatMap(f=>f.cells)}}let c=a.map(u=>u===void 0?"_":t.write(u));return{order:Hi(c.filter((u,f)=>a[f]!==void 0)),
head:D(o),cells:[c]}});return n?i:i.sort((o,a)=>o.order-a.order)}function Ce(e){return typeof e=="object"&&e!==null&&!Array.
isArray(e)}function Ui(e,t=2){let[n]=e;if(!Ce(n))return!1;let s=Object.keys(n);return s.length>=t&&e.every(r=>Ce(r)&&Object.
keys(r).length===s.length&&s.every(i=>k(r,i)))}function Hi(e){return e.some(t=>"\"'`[({".includes(t[0]))?2:e.every(t=>"-\
0123456789".includes(t[0]))?0:1}function Fi(e){if(typeof e!="object"||e===null)throw new l("E401","expected a call or an answer",{path:""});let{name:t,arguments:n}="\
function"in e?e.function:"input"in e?{name:e.name,arguments:e.input}:e;if(n===void 0)return e;if(typeof n!="string")return{
name:t,arguments:n};let s;try{s=xt(n||"{}")}catch(r){throw new l("E401",`expected JSON as the arguments: ${r.problem}`,{
path:""})}if(!(s instanceof Map))throw new l("E401","expected an object as the arguments",{path:""});return{name:t,arguments:ze(
s)}}function ze(e){if(Array.isArray(e))return e.map(ze);if(!(e instanceof Map))return e;let t=ee();for(let[n,s]of e)t[n]=
ze(s);return t}function ws(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!Qe.includes(s))throw new l("E401",`no form\
 has the name ${String(s)}`);let i=new qe(t,s,n),o=null;return[e].flat().map(c=>{let u=Fi(c);if(!("arguments"in u))return i.
answer(u);let f=i.call(u,r?null:o);return o=u.name,(r&&s!=="tagged"?ne:"")+f}).join(`
`)}var qe=class e{constructor(t,n,s,r=!1){this.tools=t,this.form=n,this.options=s,this.onLines=r,this.isPunctuated=n==="\
punctuated",this.isExact=s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new l(
"E212",`without tools, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=xs(t.arguments,i?.args??kt,
0,[]),a=i?.check?.(o);if(a)throw new l(a.code,a.problem,{path:v(a.path)});let c=D(i?.alias||t.name)+(this.options.fingerprint&&
s&&i?`#${s.fingerprintOf(i)}`:"");if(r==="tagged")return`${ne}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,h))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let f=r==="wire"&&t.name===n?"&":c;return u.length?`${f} ${this.row(u)}`:f}answer(t){return(t.
error&&!t.name?en:`${t.error?tn:ve}${this.answerName(t.name)} `)+new e(null,"wire",this.options,this.options.lines).value(
Be(t.value,h,0,[]),h)}answerName(t){return D(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||
U.test(t))throw new l("E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)
return n;throw new l("E201",`no tool ${Y(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):nt(t)}members(t,n){
let s=n.branchOf(t),{row:r,keyed:i}=this.form==="wire"?s.arrange(t):{row:[],keyed:s.inOrder(t)},o=r.map(a=>a?this.value(
t[a.name],a.type):"_");for(let a of i)o.push(`${D(a)}=${this.value(t[a],s.typeOf(a)??h)}`);return o}pairs(t,n){let s=Object.
keys(t);return(this.onLines?s:_(s)).map(r=>`${D(r)} ${this.value(t[r],n)}`)}value(t,n){if(typeof t=="string")return rn(t,
n.takesBare(t)&&(n.hasLabels||!this.isPunctuated),this.isPunctuated);if(typeof t=="number")return this.number(t);if(typeof t!=
"object"||t===null)return String(t);if(Array.isArray(t)){let o=n.array?.items??h,a=this.onLines?new e(null,"wire",this.options):
this,c=()=>this.row(t.map(u=>a.value(u,o)));return`[${a.table(t,o,[],this.onLines)??c()}]`}let s=n.object??kt;if(!s.isMap)
return`(${this.row(this.members(t,s))})`;let r=_(Object.keys(t));return`{${(this.onLines?null:this.table(r.map(o=>t[o]),
s.extra,r.map(D)))??this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(
t,-0)?String(t):J(t)}table(t,n,s=[],r=!1){return this.isPunctuated||!n.object?.isMap?null:ys(t,this.cells(n.object.extra),
s,r)}cells(t){return{write:n=>this.value(n,t),inner:()=>t.object?.isMap?this.cells(t.object.extra):null}}groups(t,n){let{
row:s,keyed:r}=n?.arrange(t)??{row:[],keyed:_(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||
!r.length?[`(${i.join(" ")})`]:[];for(let a of r)o.push(`(${re(a)} ${this.atom(t[a],n?.typeOf(a)??h)})`);return o.join(`\

`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return st(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return st(
"b",String(t));if(typeof t=="bigint")return st(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return st(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??h)).join(" ")}]`;let s=(n.
object??kt).branchOf(t);return`{${s.inOrder(t).map(r=>`${re(r)} ${this.atom(t[r],s.typeOf(r)??h)}`).join(" ")}}`}};function Be(e,t,n,s){
ds(e,s);let r=t.refuse(e);if(r)throw q(r[0],`expected ${r[1]}, found ${y(e)}`,s);if(typeof e!="object"||e===null)return e;
if(n>=64)throw q("E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>Be(i,t.array.items,n+1,
[...s,o])):xs(e,t.object,n+1,s)}function xs(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw q("E401","e\
xpected an object of arguments",s);let r=ee(),i=t.branchOf(e instanceof Map?Object.fromEntries(e):e);for(let[o,a]of gs(e,
s)){let c=i.typeOf(o);if(!c)throw q("E202",`no parameter ${Y(o)}`,s);r[o]=Be(a,c,n,[...s,o])}for(let{name:o}of i.needs)if(!k(
r,o))throw q("E205",`${Y(o)} is required`,s);return r}return ks(Wi);})();
