// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var Qt=Object.defineProperty;var Es=Object.getOwnPropertyDescriptor;var js=Object.getOwnPropertyNames;var Ns=Object.prototype.hasOwnProperty;var Is=(e,t)=>{for(var n in t)Qt(e,n,{get:t[n],enumerable:!0})},Ts=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of js(t))!Ns.call(e,r)&&r!==n&&Qt(e,r,{get:()=>t[r],enumerable:!(s=Es(t,r))||s.enumerable});return e};var Rs=e=>Ts(Qt({},"__esModule",{value:!0}),e);var Gi={};Is(Gi,{LtonError:()=>l,ToolSet:()=>Vt,encode:()=>Ms,sorted:()=>L});var l=class extends Error{#t;constructor(t,n,{doc:s,start:r=0,firstLine:i=1,...o}={}){let{pos:a,path:c,pointer:u}=o,f=c||
u?`at ${c||u}`:"",d=a===void 0?f:`position ${a}`,p={},g="";if(s!==void 0&&a!==void 0){let S=Ps(s,a-r),B=S.split(`
`),[Y,We]=[i+B.length-1,[...B.at(-1)].length+1],Je=s.indexOf(`
`,S.length);g=s.slice(S.lastIndexOf(`
`)+1,Je<0?s.length:Je),p={line:Y,column:We},d=`line ${Y}, column ${We}${f&&`, ${f}`}`}super(`${n}${d?` (${d})`:""} [${t}\
]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,o,p),this.#t=g}picture(t=76){if(this.column===void 0)
return"";let n=[...this.#t].map(Ls),s=this.column-1,r=Math.max(0,Math.min(s-(t>>1),n.length-t));return`${n.slice(r,r+t).
join("")}
${n.slice(r,s).map(Cs).join("")}^`}};function Ps(e,t){let n=0;for(let s=t;s>0&&n<e.length;s-=1)n+=e.codePointAt(n)>65535?
2:1;return e.slice(0,n)}function Ls(e){return/^[^\p{C}\p{Z}]$|^[ \t]$/u.test(e)?e:"\uFFFD"}var _s=/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
function Cs(e){return e==="	"?e:/\p{M}/u.test(e)?"":_s.test(e)?"  ":" "}function v(e){let t="";for(let n of e)t+=`/${String(
n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function y(e){let t;return typeof e=="string"?t=W(e.slice(0,41)):
e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an array":"an object",t.length>40?`${t.slice(0,
40)}\u2026`:t}function Ke(e){return Array.isArray(e)?`an array of ${wt(e.length,"item")}`:y(e)}function wt(e,t){return e===
1?`1 ${t}`:`${e} ${t}s`}function W(e){return e.includes("'")?JSON.stringify(e):`'${JSON.stringify(e).slice(1,-1).replaceAll(
'\\"','"')}'`}var vt=1e3,Ds=1e5,tt=/[ \t\n\r]*/y,Ge=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,zs=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
qs=/true|false|null/y,Bs=new Map([["true",!0],["false",!1],["null",null]]);function St(e,t=!1){let n=new ee(e,t),s=n.value(
0);if(n.pos<e.length)throw n.unexpected("the end of the text");return s}var te=class{constructor(t){this.text=t,this.pos=
0}skip(t){let n=this.text[this.pos]===t;return this.pos+=Number(n),n}match(t){t.lastIndex=this.pos;let n=t.exec(this.text);
return this.pos+=n?n[0].length:0,n}},ee=class extends te{constructor(t,n){super(t),this.isUnique=n}value(t){if(this.match(
tt),t>vt)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(tt),n}unspaced(t){let n=this.match(
Ge);if(n)return JSON.parse(n[0]);let s=this.match(zs);if(s)return this.number(s);let r=this.match(qs);if(r)return Bs.get(
r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a value")}number([
t,n,s]){if(n||s)return Number(t);if(t.length>Ds)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(t)}array(t){
let n=[];if(this.match(tt),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip("]"))throw this.
unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(tt),this.skip("}"))return n;do{this.match(tt);
let s=this.match(Ge);if(!s)throw this.unexpected("a key in double quotes");if(this.match(tt),!this.skip(":"))throw this.
unexpected("a colon");let r=JSON.parse(s[0]);if(this.isUnique&&n.has(r))throw this.unexpected("a key once");n.set(r,this.
value(t))}while(this.skip(","));if(!this.skip("}"))throw this.unexpected("a comma or }");return n}unexpected(t){let[n=""]=this.
text.slice(this.pos,this.pos+2),s=n?JSON.stringify(n):"the end of the text";return new l("E502",`expected ${t}, found ${s}`,
{pos:this.pos})}};function Xe(e){return Ye(e,new Map,0)}function Ye(e,t,n){if(typeof e=="number")return Number.isInteger(
e)&&!Object.is(e,-0)?BigInt(e):e;if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="ob\
ject")throw new l("E502",`a ${typeof e} is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new l("E502","a def\
inition contains itself");return i}if(n>vt)throw new l("E301",`nested deeper than ${vt}`);t.set(e,void 0);let s=i=>Ye(i,
t,n+1),r=Array.isArray(e)?e.map(s):new Map([...Us(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,
r),r}function Us(e){return e instanceof Map?e:Object.entries(e)}function xt(e){return typeof e=="bigint"?Number(e):Array.
isArray(e)?e.map(xt):e instanceof Map?Object.fromEntries([...e].map(([t,n])=>[t,xt(n)])):e}var Hs="draft-2020-12",Fs={io:"input",typeMode:"input"},Ot=["parameters","input_schema","inputSchema"],Ws=new Set([...Ot,
"name","title","description","function"]),Js={zod:"pass { toJSONSchema: z.toJSONSchema } as the options",valibot:"pass {\
 toJSONSchema: toJsonSchema } of @valibot/to-json-schema as the options"};function Ve(e,t,n){let s=(i,o)=>{try{return Qe(
i,`/${o}`,t)}catch(a){if(!(a instanceof l))throw a;return n.set(o,a),null}};if(Array.isArray(e))return e.map(s);if(!et(e))
return e;if(Array.isArray(e.tools))return e.tools.map(s);let r=Object.entries(e);if(!r.length||!r.every(([,i])=>Ks(i))){
let i=s(e,0);return i===null?[null]:i}return r.map(([i,o],a)=>s({...o,name:i},a))}function Ks(e){return et(e)&&!$t(e)&&e.
name===void 0&&Ot.some(t=>et(e[t])||typeof e[t]=="function")}function Qe(e,t,n){if($t(e))return Ze(e,t,n);if(!(et(e)&&(ve(
e)||Object.values(e).some(i=>typeof i=="function"))))return e;let r={};for(let[i,o]of Object.entries(e))Ws.has(i)&&(i===
"function"?r[i]=Qe(o,`${t}/${i}`,n):r[i]=Ot.includes(i)&&$t(o)?Ze(o,`${t}/${i}`,n):o);return r}function ve(e){let t=e.function;
return Ot.some(n=>$t(e[n]))||et(t)&&ve(t)}function et(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)&&!(e instanceof
Map)}function $t(e){return e===null||typeof e!="object"&&typeof e!="function"||"$schema"in e?!1:"~standard"in e||"jsonSc\
hema"in e&&"validate"in e}function Ze(e,t,n){let s=e["~standard"];if(!s)return Gs(e,t);try{if(s.jsonSchema)return s.jsonSchema.
input({target:Hs});if(n)return n(e,Fs)}catch(i){throw new l("E501",`${s.vendor} cannot write this schema as JSON Schema:\
 ${i.message}`,{pointer:t})}let r=Js[s.vendor]??"pass its function as the option toJSONSchema";throw new l("E502",`this \
schema of ${s.vendor} does not write JSON Schema itself: ${r}`,{pointer:t})}function Gs({jsonSchema:e},t){if(!et(e)||typeof e.
then!="function")return e;throw new l("E502","expected a JSON Schema, found a promise: await the schema first",{pointer:t})}var Xs=10n**BigInt(4096)-1n,Ys=1n-10n**BigInt(4095),U=/[\0\ud800-\udfff]/u,J=/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;
function en(e){return e.replace(/[^]/g,t=>`\\u${t.charCodeAt(0).toString(16).padStart(4,"0")}`)}var Zs=/[\ud800-\udfff]/,
Vs=/[\ud800-\udbff][\udc00-\udfff]/g;function M(e){return Zs.test(e)?e.length-(e.match(Vs)?.length??0):e.length}function E(e){
return typeof e=="object"&&e!==null&&!Array.isArray(e)}function $(e){return typeof e=="number"||typeof e=="bigint"}function At(e){
return typeof e=="bigint"||Number.isInteger(e)}function Mt(e){return Ys<=e&&e<=Xs}function K(e){if(typeof e=="number")return Number.
isInteger(e)&&!Number.isSafeInteger(e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(t)?t:e}function ne(){return Object.
create(null)}var Qs=Object.prototype.hasOwnProperty;function A(e,t){return Qs.call(e,t)}function L(e){return[...e].sort(
vs)}function vs(e,t){let n=Math.min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[e.charCodeAt(s),t.charCodeAt(s)];
if(r!==i)return r>=55296&&i>=55296?tn(r)-tn(i):r-i}return e.length-t.length}function tn(e){return e<57344?e+65536:e}var nn=["wire","keyed","punctuated","tagged"],se="!call ",sn="!result ",rn="!error ",on="!error: ";var an=/^[A-Za-z0-9_./-]+$/,re=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,cn=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/,
tr=/[\n\r]/,er=/`{3,}/g;var nr=['"',"'","`"];function ct(e){return an.test(e)}var sr=/["'`)\]}]$/,rr=/^[A-Za-z]/;function nt(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(sr.test(e[n-
1])&&!rr.test(s)?",":" ")+s}return t}function _(e){return an.test(e)?e:kt(e)??fn(e)}function ie(e){return e==="n"||e==="\
_"?`"${e}"`:_(e)}function un(e,t,n=!1){return t&&re.test(e)?e:kt(e)??(n?fn(e):st("s",e))}function st(e,t){return`${e}${M(
t)}:${t}`}function kt(e){if(tr.test(e))return null;let t=nr.find(n=>!e.includes(n));return t?t+e+t:null}function fn(e){let t=2;
for(let[s]of e.matchAll(er))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function H(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var I=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
K)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get kind(){return this.integer?"an integer":
"a number"}get noun(){return this.values?.length?ae(this.values.map(H)):this.kind}refuse(t){if(this.integer&&!At(t))return[
"E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.listed.has(K(t)))return["E204",this.noun];let n=this.
broken(t);return n?["E208",`${this.kind} of ${n}`]:null}broken(t){return this.minimum!==void 0&&!(t>=this.minimum)?`at l\
east ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`at most ${this.maximum}`:this.exclusiveMinimum!==void 0&&
!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?
`less than ${this.exclusiveMaximum}`:""}},j=class{constructor({min:t=0,max:n,values:s,format:r}={}){this.format=r,this.min=
t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=t===0&&n===void 0&&s===void 0}get noun(){return this.values?
ae(this.values.map(t=>W(t))):"a string"}refuse(t){if(this.isOpen)return null;if(this.listed&&!this.listed.has(t))return[
"E204",this.noun];let n=hn(M(t),this.min,this.max,"character");return n?["E208",`a string of ${n}`]:null}},R=class{constructor(t,n=0,s=void 0,r=[],i=null){
this.items=t,this.min=n,this.max=s,this.positions=r,this.further=i}refuse(t){let n=hn(t.length,this.min,this.max,"item");
return n?["E208",`an array of ${n}`]:null}},b=class{constructor(t=[],n=null,s=[],r=null,i=null){this.extra=n,this.branches=
s,this.label=r,this.name=i,this.needs=t.filter(a=>a.required),this.params=[...this.needs,...t.filter(a=>!a.required)],this.
byName=new Map(this.params.map(a=>[a.name,a])),this.isMap=t.length===0&&n!==null;let o=s.length>0&&r===null;this.turns=o?
[]:this.params}branchWith(t){let{label:n}=this;return n===null?null:this.branches.find(s=>s.byName.get(n)?.type.refuse(t)===
null)??null}branchOf(t){let{label:n}=this;return n===null||!A(t,n)?this:this.branchWith(t[n])?.branchOf(t)??this}typeOf(t){
return this.byName.get(t)?.type??this.extra}inOrder(t){return[...this.params.map(s=>s.name).filter(s=>A(t,s)),...L(Object.
keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.turns.map(o=>A(t,o.name)?o:null);for(;n.length&&n.at(-1)===
null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).length;s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(
n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(o=>!i.has(o))}}},w=class{constructor(t={}){this.null=t.null??
!1,this.booleans=t.booleans??[],this.number=t.number??null,this.string=t.string??null,this.array=t.array??null,this.object=
t.object??null,this.recursion=t.recursion??null,this.isWordy=this.string!==null&&!this.null&&this.booleans.length===0}get isAny(){
let{array:t,number:n,object:s,string:r}=this;if(this===h)return!0;let i=this.null&&this.booleans.length===2&&r?.isOpen&&
n?.isOpen&&!n.integer,o=t?.items===h&&t.min===0&&t.max===void 0;return!!i&&o&&s?.isMap===!0&&s.extra===h}get hasLabels(){
return this.string?.values!==void 0}takesBare(t){return!(this.null&&t==="null"||this.booleans.length>0&&(t==="true"||t===
"false")||this.number!==null&&cn.test(t))}refuse(t){return typeof t=="string"?this.string?this.nameChoices(this.string.refuse(
t)):this.wrongKind():$(t)?this.number?this.nameChoices(this.number.refuse(t)):this.wrongKind():t===null?this.null?null:this.
wrongKind():typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():Array.isArray(t)?this.array?this.array.refuse(
t):this.wrongKind():this.object?null:this.wrongKind()}nameChoices(t){return t&&t[0]!=="E208"?[t[0],this.noun]:t}wrongKind(){
return["E203",this.noun]}nounAt(t){return!this.object||t==="["?this.noun:this.noun.replace("an object",`an object in ${this.
object.isMap?"braces":"parentheses"}`)}get noun(){let t=[this.string,this.number].filter(r=>r!==null).map(r=>r.values);return t.
some(r=>r?.length)&&t.every(r=>r!==void 0)&&!this.array&&!this.object?this.listedNoun:[this.string?.noun,this.number?.noun,
this.array&&"an array",this.object&&"an object",this.booleans.join(" or "),this.null&&"null"].filter(Boolean).join(" or ")||
"nothing"}get listedNoun(){let t=[...this.booleans,...this.null?[null]:[]].map(String);return ae([...(this.string?.values??
[]).map(n=>W(n)),...(this.number?.values??[]).map(H),...t])}};function ir(){let e=new w({null:!0,booleans:[!1,!0],number:new I(
{integer:!1}),string:new j});return Object.assign(e,{array:new R(e),object:new b([],e)})}var h=ir(),Et=h.object,k=new w(
{...h}),oe=new w,ln=8;function ae(e){if(e.length===1)return e[0];let t=e.length>ln?`, \u2026 (${e.length} in all)`:"";return`\
one of ${e.slice(0,ln).join(", ")}${t}`}function hn(e,t,n,s){return e<t?`at least ${wt(t,s)}`:n!==void 0&&e>n?`at most ${wt(
n,s)}`:""}function x(e,t){return e===t||e.null===t.null&&mn(e.booleans,t.booleans)&&G(e.number,t.number)&&G(e.string,t.string)&&G(
e.array,t.array)&&G(e.object,t.object)}function G(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof b&&
t instanceof b)return pn(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max","format"].every(r=>n[r]==s[r])&&mn(e.values,t.values)&&(!(e instanceof R)||or(e,t))}function or(e,t){return!x(
e.items,t.items)||e.positions.length!==t.positions.length?!1:(e.further===null||t.further===null?e.further===t.further:x(
e.further,t.further))&&e.positions.every((s,r)=>x(s,t.positions[r]))}function pn(e,t){if(e.params.length!==t.params.length||
e.extra===null!=(t.extra===null)||e.label!==t.label||e.branches.length!==t.branches.length||!e.branches.every((s,r)=>pn(
s,t.branches[r])))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.required&&x(s.type,r.type);return e.params.every(
(s,r)=>n(s,t.params[r]))&&(e.extra===null||x(e.extra,t.extra))}function mn(e,t){return e===t||e!==void 0&&t!==void 0&&e.
length===t.length&&e.every((n,s)=>n==t[s])}var ut=[];for(let e=2;ut.length<64;e+=1)ut.every(t=>e%t)&&ut.push(e);var dn=e=>e%1*2**32|0,ar=ut.slice(0,8).map(e=>dn(Math.
sqrt(e))),cr=ut.map(e=>dn(Math.cbrt(e))),C=(e,t)=>e>>>t|e<<32-t;function gn(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...ar],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)ur(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function ur(e,t,n,s){for(let p=0;p<64;p+=1)if(p<16)n[p]=e.getInt32(
t+4*p);else{let[g,S]=[n[p-15],n[p-2]],B=C(g,7)^C(g,18)^g>>>3,Y=C(S,17)^C(S,19)^S>>>10;n[p]=n[p-16]+B+n[p-7]+Y}let[r,i,o,
a,c,u,f,d]=s;for(let p=0;p<64;p+=1){let g=d+(C(c,6)^C(c,11)^C(c,25))+(c&u^~c&f)+cr[p]+n[p]|0,S=(C(r,2)^C(r,13)^C(r,22))+
(r&i^r&o^i&o)|0;[d,f,u,c,a,o,i,r]=[f,u,c,a+g|0,o,i,r,g+S|0]}[r,i,o,a,c,u,f,d].forEach((p,g)=>s[g]=s[g]+p|0)}var N=class extends Error{};function It(e){return ce(e,"u")||ce(e,"")}function ce(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var fr=`
\r\u2028\u2029`,yn={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},bn=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),ue=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new N;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!fr.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new N;t=this.choice()}
if(!this.skip(")"))throw new N;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>bn(
r[i-1])!==bn(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new N;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new N;
if("dDwWsS".includes(t))return wn(`\\${t}`);if(t in yn)return yn[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new N;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new N;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!ce(r,"u"))throw new N;return this.pos+=s[0].length,wn(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new N;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new N;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function wn(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function jt(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+jt(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+jt(e.part);if(e.kind!=="repeat")return 1;let t=jt(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function Nt(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+Nt(n),0):e.kind==="any"?Math.min(...e.parts.map(Nt)):e.kind==="repeat"?e.low*Nt(e.part):0}var rt=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new ue(t).pattern(),s=jt(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
N||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?Nt(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new fe(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},fe=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var lr=/^(\d{4})-(\d\d)-(\d\d)$/,hr=1440,pr=/^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/i,
mr=/^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
xn=String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`,dr=new RegExp(String.
raw`^(?:${xn}(?:\.${xn})*|"[^"\r\n]*")@([^]+)$`),gr=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,yr=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
br=/^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u,wr=/^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,
le=String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef`+Array.from({length:13},(e,t)=>(t+1).toString(16)).map(e=>String.raw`\u{${e}0000}-\u{${e}fffd}`).
join("")+String.raw`\u{e1000}-\u{efffd}`,kn=String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;function Rt(e){
return new RegExp(String.raw`[^%${e}]|%(?![\da-fA-F]{2})`,"u")}var he=String.raw`\w.~!$&'()*+,;=:@\/?\-`,Sn=Rt(he),xr=Rt(
he+le),Sr=Rt(he+le+kn),$r=Rt(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-`+le+kn),$n=String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`,
Or=new RegExp(String.raw`\{[+#./;?&=,!@|]?${$n}(?:,${$n})*\}`,"gi"),Ar=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,
Mr=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,kr=/^(?:0|[1-9]\d{0,2})$/,Er=/^[\da-f]{1,4}$/i;function On(e){let[,t,n,s]=lr.exec(
e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,
31,30,31,30,31][n-1]}function An(e){let[t,n,s,r,i,...o]=pr.exec(e)??[];if(t===void 0)return!1;if(r!=="60")return!0;let a=i?
+`${i}1`*(Number(o[0])*60+Number(o[1])):0;return(Number(n)*60+Number(s)-a+1)%hr===0}function Mn(e,t=En){let n=dr.exec(e)?.[1]??
"",s=/^\[([^]*)\]$/.exec(n)?.[1];return s===void 0?t(n)&&!n.endsWith("."):s.startsWith("IPv6:")?me(s.slice(5)):pe(s)}function En(e){
let t=e.replace(/\.$/,"");return t.length<=253&&t.split(".").every(n=>gr.test(n))}function jr(e){let t=n=>M(n)<=63&&br.test(
n)&&!/^-|-$/.test(n);return M(e)<=253&&e.split(".").every(t)}function pe(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>kr.test(n)&&Number(n)<256)}function me(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!pe(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>Er.test(o))&&(t.length===2?i<8:i===8)}function Tt(e,t,n){let s=wr.exec(e);if(!s)return!1;
let[,r,i="",o="",a="",c=""]=s;if(r===void 0&&(!t||o.split("/",1)[0].includes(":")))return!1;let u=n?xr:Sn,f=n?Sr:Sn;return Nr(
i,u)&&!u.test(o)&&!f.test(a)&&!u.test(c)}function Nr(e,t){let n=Ar.exec(e);if(!n)return!1;let[,s="",r,i=""]=n;return r!==
void 0&&!Mr.test(r)&&!me(r)?!1:!t.test(s)&&!t.test(i)}function jn(e){return(e===""||e.startsWith("/"))&&!/~(?![01])/.test(
e)}function Ir(e){let t=/^(?:0|[1-9]\d*)/.exec(e)?.[0],n=e.slice(t?.length);return t!==void 0&&(n==="#"||jn(n))}var Z=new Map(
[["date",On],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&On(e.slice(0,10))&&An(e.slice(11))],["duration",e=>mr.test(e)],["\
email",e=>Mn(e)],["hostname",En],["idn-email",e=>Mn(e,jr)],["ipv4",pe],["ipv6",me],["iri",e=>Tt(e,!1,!0)],["iri-referenc\
e",e=>Tt(e,!0,!0)],["json-pointer",jn],["regex",It],["relative-json-pointer",Ir],["time",An],["uri",e=>Tt(e,!1,!1)],["ur\
i-reference",e=>Tt(e,!0,!1)],["uri-template",e=>!$r.test(e.replace(Or,"-"))],["uuid",e=>yr.test(e)]]);var Tn=new Set(["any","bool","false","int","never","null","num","str","true"]),lt="...",Rn=2**53-1,Tr=24,Rr="str|num|boo\
l|[any]|{any}|null";function Pn(e){return Lt(e)+new it(!1).members(e.args)}function ye(e){let t=e.map(n=>Lt(n)+new ge(!1).
members(n.args)).map(n=>[[...n].map(s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>Pr(n,s)),gn(t.map(([,n])=>n).join(
`
`)).slice(0,8)}function Pr(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function Lt(e){
return e.alias?`${ft(e.alias)}=${ft(e.name)}`:ft(e.name)}function _t(e){return e===lt?`"${e}"`:ft(e)}function ft(e){return ct(
e)?e:Ct(e)}function Ct(e){return(J.test(e)?null:kt(e))??`@${JSON.stringify(e).replace(new RegExp(J,"gu"),en)}`}function be(e){
return re.test(e)&&h.takesBare(e)?e:Ct(e)}function Ln({examples:e=[],pattern:t="",description:n,default:s}){for(let i of e){
let o=ht(i),a=typeof i=="string"&&n.includes(i),c=s!==void 0&&o===ht(s);if(Nn(o)&&!a&&!c)return`e.g. ${o}`}return!J.test(
t)&&!n.includes(t)&&Nn(t)?`pattern ${t}`:""}function Nn(e){return[...e].length<=Tr}var it=class{constructor(t){this.limits=
t,this.defaults=!0}members(t){return`(${this.parts(t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(
s),s]);return t.extra?[...n,[`${lt}:${this.type(t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=_t(t.name)+(t.required?
"":"?")+(n==="str"?"":`:${n}`);return this.defaults&&!t.required&&t.default!==void 0&&t.default!==null?`${s}=${ht(t.default)}`:
s}type(t){if(x(t,h))return t.recursion?this.recursion(t.recursion):"any";let{string:n,number:s,booleans:r,array:i,object:o}=t,
a=[];n&&a.push(...n.values?n.values.map(u=>this.label(u)):[this.stringKind(n)]),s&&a.push(...s.values?s.values.map(H):[this.
numberKind(s)]),r.length&&a.push(r.length>1?"bool":String(r[0])),i&&a.push(this.arrayKind(i)),o&&a.push(o.isMap?`{${this.
type(o.extra)}}`:this.object(o)),t.null&&a.push("null");let c=a.join("|")||"never";return c===Rr?"any":c}recursion(t){return"\
any"}stringKind({format:t,min:n,max:s}){return this.limits?t??`str${de(n,s)}`:"str"}numberKind(t){return(t.integer?"int":
"num")+(this.limits?Lr(t):"")}arrayKind({items:t,min:n,max:s,positions:r,further:i}){if(!this.limits)return`[${this.type(
t)}]`;let o=r.map(c=>this.type(c));if(o.length<2&&(!o.length||!i))return`[${this.type(t)}]${de(n,s)}`;i&&o.push(`${lt}:${this.
type(i)}`);let a=n===r.length&&s===(i?void 0:r.length);return`[${o.join(" ")}]${a?"":de(n,s)}`}label(t){return Tn.has(t)||
Z.has(t)||t.startsWith("@")?Ct(t):be(t)}object(t){return t.branches.length?[...new Set(t.branches.map(n=>this.object(n)))].
join("|"):this.members(t)}},ge=class extends it{constructor(){super(...arguments),this.defaults=!1}label(t){return Tn.has(
t)||t.startsWith("@")?Ct(t):be(t)}};function de(e,t){return _n(In(e||void 0),In(t))}function In(e){return e===void 0||e>=
Rn?"":String(e)}function Lr({minimum:e,maximum:t,exclusiveMinimum:n,exclusiveMaximum:s}){let[r,i]=[Pt(e),Pt(t)],[o,a]=[Pt(
n,">"),Pt(s,"<")];return o&&!(r&&e>n)&&(r=o),a&&!(i&&t<s)&&(i=a),_n(r,i)}function Pt(e,t=""){return e===void 0||!(Math.abs(
Number(e))<Rn)?"":t+H(e)}function _n(e,t){return e===t?e&&`(${e})`:`(${e}..${t})`}function ht(e){return typeof e=="strin\
g"?be(e):$(e)?H(e):Array.isArray(e)?`[${e.map(ht).join(" ")}]`:e instanceof Map?`{${[...e].map(([t,n])=>`${ft(t)} ${ht(n)}`).
join(" ")}}`:String(e)}var _r=20,Cr=/[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,Dr=new RegExp(J,"gu"),we="Tools: \
name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default; a|b is \
a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",xe={wire:`${we} its name and the val\
ues in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key\
 value}; _ for what you leave out, or name=value.`,keyed:`${we} its name, then name=value for each, with spaces between;\
 "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${we} name(par\
ameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function Dn(e,{descriptions:t=!0,
primer:n,limits:s=!0}={}){if(n!==void 0&&!A(xe,n))throw new RangeError(`expected one of the forms ${Object.keys(xe).join(
", ")}, found ${y(String(n))}`);let r=new Dt(t,s),i=[...r.define(e),...e.map(o=>r.tool(o))];return[...n===void 0?[]:[xe[n]],
...i].join(`
`)}var Dt=class extends it{constructor(t,n){super(n),this.descriptions=t,this.names=new Map,this.recursive=new Map,this.
current=null}recursion(t){let n=this.current&&this.recursive.get(this.current)?.get(t.name);return n?this.joinUnion(n,t):
"any"}joinUnion(t,{others:n}){return n?`${t}|${this.type(n)}`:t}tool(t){this.current=t;let n=Lt(t);if(!this.descriptions)
return n+this.members(t.args);let s=[Cn(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${Cn(r,i?this.describe(
i):"")}`),i&&s.push(...Se(this.inside(i.type,_t(i.name))));return s.join(`
`)}define(t){let n=t.flatMap(o=>[...zn(o.args,"")].map(([a,c])=>({tool:o,name:a,node:c,text:this.text(c)}))),s=new Map;for(let{
text:o}of n)s.set(o,(s.get(o)??0)+1);let r=this.nameArguments(t),i=[];for(let o of n){let{tool:a,name:c,node:u,text:f}=o,
d=this.isRecursive(u);if((d||s.get(f)>1&&[...f].length>=_r)&&!this.names.has(f)){let g=d&&u.name?u.name:c,S=ct(g)?g:"obj\
ect",B=S;for(let Y=2;r.has(B);Y+=1)B=`${S}${Y}`;r.add(B),this.names.set(f,`@${B}`),i.push(o)}d&&this.setRecursive(a,u.name,
this.names.get(f))}return i.map(({tool:o,node:a,text:c})=>(this.current=o,[`${this.names.get(c)}=${this.members(a)}`,...this.
descriptions?Se(this.about(a,"")):[]].join(`
`)))}nameArguments(t){let n=new Set;for(let s of t){let r=s.alias||s.name;!this.isRecursive(s.args)||!ct(r)||(this.setRecursive(
s,s.args.name,`@${r}`),n.add(r))}return n}setRecursive(t,n,s){let r=this.recursive.get(t)??new Map;r.has(n)||r.set(n,s),
this.recursive.set(t,r)}isRecursive(t){return this.limits&&t.name!==null&&Me(t,t.name,new Set)}object(t){let n=zt(t);return n.
length>1?[...new Set(n.map(s=>this.object(s)))].join("|"):this.names.size&&this.names.get(this.text(t))||this.members(t)}text(t){
let n=new $e(!0,this.limits);return[n.members(t),...this.descriptions?Se(n.about(t,"")):[]].join(`
`)}inside(t,n){if(t===h)return[];let s=t.array?this.inside(t.array.items,n):[];for(let r of t.object?zt(t.object):[])this.
names.size>0&&this.names.has(this.text(r))||s.push(...this.about(r,`${n}.`));return s}describe(t){let n=this.limits?Ln(t):
"";return[t.description,n].map(qn).filter(Boolean).join(" ")}about(t,n){let s=t.params.flatMap(r=>{let i=n+_t(r.name),o=this.
describe(r);return[...o?[[i,o]]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.inside(t.extra,n+lt)]:s}},$e=class extends Dt{recursion(t){
return this.joinUnion(`@ ${t.name}`,t)}};function Me(e,t,n){let s=e.params.map(r=>r.type);return e.extra&&s.push(e.extra),
s.some(r=>Oe(r,t,n))||e.branches.some(r=>Me(r,t,n))}function Oe(e,t,n){if(e.recursion)return e.recursion.name===t||e.recursion.
others!==null&&Oe(e.recursion.others,t,n);if(x(e,h)||n.has(e))return!1;n.add(e);let{array:s,object:r}=e;return(s?[s.items,
...s.positions,...s.further?[s.further]:[]]:[]).some(o=>Oe(o,t,n))||r!==null&&Me(r,t,n)}function Se(e){let t=new Map;for(let[
n,s]of e)t.has(n)||t.set(n,`  ${n} ${s}`);return[...t.values()]}function zt(e){return e.branches.length?e.branches.flatMap(
zt):[e]}function*zn(e,t){for(let n of e.params)yield*Ae(n.type,n.name);e.extra&&(yield*Ae(e.extra,t))}function*Ae(e,t){if(e!==
h){e.array&&(yield*Ae(e.array.items,t));for(let n of e.object?zt(e.object):[])yield*zn(n,t),n.params.length&&(yield[t,n])}}
function Cn(e,t){let n=qn(t);return n?`${e} ${n}`:e}function qn(e){return e.split(Cr).filter(Boolean).join(" ").replace(
Dr,"\uFFFD")}var Bn=1e6,zr=100;function D(e){if(e.some(r=>x(r,h)))return{type:qr(e)??h,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(
u=>u!==null);if(o.every(u=>G(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>G(u,a)),a};return{type:new w(
{null:e.some(r=>r.null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),Br),string:n(
e.map(r=>r.string),Ur),array:n(e.map(r=>r.array),Hr),object:n(e.map(r=>r.object),Fr)}),isExact:t}}function qr(e){let t=e.
map(a=>a.recursion).filter(a=>a!==null),n=t[0]?.name;if(n===void 0||t.some(a=>a.name!==n))return null;let r=[...e.filter(
a=>a.recursion===null),...t.map(a=>a.others).filter(a=>a!==null)];if(r.some(a=>x(a,h)))return null;let i=r.length?D(r).type:
null,o=i?.object?qt(i.object,[]):null;return new w({...h,recursion:{name:n,others:i&&new w({...i,object:o})}})}function Br(e){
let t=e.every(i=>i.integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[K(o),o]));return[
new I({integer:t,values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new I({integer:t}),!1];let n=i=>{let o=e.
map(a=>a[i]);return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?Un:Hn)},s={minimum:n("minimum"),maximum:n("maximum")},
r={exclusiveMinimum:n("exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new I({integer:t,...s,...r}),!1]}
var Un=(e,t)=>t<e?t:e,Hn=(e,t)=>t>e?t:e;function Ur(e){if(e.every(n=>n.values))return[new j({values:[...new Set(e.flatMap(
n=>n.values))]}),!0];if(e.some(n=>n.values))return[new j,!1];let t=e.every(n=>n.format===e[0].format)?e[0].format:void 0;
return[new j({min:Math.min(...e.map(n=>n.min)),max:Fn(e),format:t}),!1]}function Hr(e){let t=D(e.map(n=>n.items)).type;return[
new R(t,Math.min(...e.map(n=>n.min)),Fn(e)),!1]}function Fn(e){let t=e.map(n=>n.max);return t.includes(void 0)?void 0:Math.
max(...t)}function Wn(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):void 0}function Jn(e,t){
let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);return Kn(n.size,t.length),n}function Kn(e,t){
if(e*t>Bn)throw new l("E505",`objects combine to over ${Bn} members`)}function Fr(e){let t=e.filter(i=>i.extra!==null&&i.
extra!==k),n=!1,s=[...Jn(e,t)].map(([i,o])=>{let a=t.filter(f=>!f.byName.has(i)).map(f=>f.extra),c=D([...o.map(f=>f.type),
...a]).type,u=o.length===e.length&&o.every(f=>f.required);return!u&&o.some(f=>f.required)&&(n=!0),x(c,h)&&o.some(f=>!x(f.
type,h))&&(n=!0),{...o[0],type:c,required:u}}),r=null;return t.length?r=D(t.map(i=>i.extra)).type:e.some(i=>i.extra===k)&&
(r=k),[Wr(new b(s,r),e,n),!1]}function Wr(e,t,n){let s=t.flatMap(r=>r.branches.length?r.branches:[r]);if(s.length>zr||!s.
every(r=>r.params.length))return e;for(let r of[t,s]){let i=r[0].params.find(({name:o})=>Gn(o,r));if(i)return Xn(e,i.name,
r)}return n?new b(e.params,e.extra,s):e}function Gn(e,t){let n=t.map(r=>Jr(r.byName.get(e))),s=n.flat();return n.every(r=>r.
length)&&new Set(s).size===s.length}function Jr(e){if(!e?.required)return[];let{string:t,number:n,booleans:s,array:r,object:i}=e.
type;return[t,n].some(a=>a&&!a.values)||e.type.null||r||i||s.length>1?[]:[...t?.values??[],...(n?.values??[]).map(K),...s]}
function Xn(e,t,n){let{params:s,extra:r}=ke(t,e);return new b(s,r,n.map(i=>ke(t,i)),t)}function ke(e,t){let n=r=>r.name===
e,s=[...t.params.filter(n),...t.params.filter(r=>!n(r))];return new b(s,t.extra,t.branches.map(r=>ke(e,r)),t.label,t.name)}
function qt(e,t){let n=e.branches.map(r=>qt(r,t));if(e.extra!==k)return new b(e.params,e.extra,n,e.label,e.name);let s=[
...e.params,...t.filter(r=>!e.byName.has(r.name))];return new b(s,null,n,e.label,e.name)}function Yn(e,t){let n=e.map(o=>o.
object).filter(o=>o?.extra===k),s=new Map;for(let o of n)for(let a of o.byName.keys())s.set(a,(s.get(a)??0)+1);let r=([o,
a])=>a<n.length&&t.some(c=>c.has(o)),i=new Set([...s].filter(r).map(([o])=>o));return i.size?e.map(o=>o.object?.extra!==
k?o:new w({...o,object:Zn(o.object,i)})):e}function Zn(e,t){let n=e.params.filter(s=>!t.has(s.name));return e.label!==null&&
t.has(e.label)?new b(n,e.extra,[],null,e.name):new b(n,e.extra,e.branches.map(s=>Zn(s,t)),e.label,e.name)}function Vn(e){
let t=r=>e.filter(r).length,n=e.flatMap(r=>r.booleans),s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.
length>1&&(i.some(a=>!a.values)||new Set(o.map(String)).size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||
s(e.map(r=>r.number))||s(e.map(r=>r.string))||t(r=>r.array)>1||t(r=>r.object)>1}function pt(e){let t=e.filter(s=>!x(s,h));
if(t.length<2)return t[0]??e.find(s=>s.recursion!==null)??h;let n=(s,r)=>{let i=s.filter(o=>o!==null);return i.length<s.
length?null:i.every(o=>G(o,i[0]))?i[0]:r(i)};return new w({null:t.every(s=>s.null),booleans:[!1,!0].filter(s=>t.every(r=>r.
booleans.includes(s))),number:n(t.map(s=>s.number),Kr),string:n(t.map(s=>s.string),Gr),array:n(t.map(s=>s.array),Xr),object:n(
t.map(s=>s.object),Qn)})}function Kr(e){let t=e.some(c=>c.integer),n=c=>{let u=e.map(f=>f[c]).filter(f=>f!==void 0);return u.
length?u.reduce(/min/i.test(c)?Hn:Un):void 0},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n("exclu\
siveMinimum"),exclusiveMaximum:n("exclusiveMaximum")},i=new I({integer:t,...s,...r}),o=e.filter(c=>c.values);if(!o.length)
return i;let a=o[0].values.filter(c=>[i,...o].every(u=>u.refuse(c)===null));return a.length?new I({integer:t,values:a}):
null}function Gr(e){let t=e.find(i=>i.format!==void 0)?.format,n=new j({min:Math.max(...e.map(i=>i.min)),max:Wn(e),format:t}),
s=e.filter(i=>i.values);if(!s.length)return n;let r=s[0].values.filter(i=>[n,...s].every(o=>o.refuse(i)===null));return r.
length?new j({values:r}):null}function Xr(e){let t=pt(e.map(n=>n.items));return new R(t,Math.max(...e.map(n=>n.min)),Wn(
e))}function Qn(e){let t=e.filter(s=>s.extra!==k&&!(s.extra&&x(s.extra,h))),n=[];for(let[s,r]of Jn(e,t)){let i=r.some(u=>u.
required),o=t.filter(u=>!u.byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}let a=pt([...r.
map(u=>u.type),...o]),c=r.find(u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}return Yr(new b(
n,Zr(e.map(s=>s.extra))),e)}function Yr(e,t){let n=t.filter(a=>a.branches.length),s=n[0];if(!s||n.length>1)return e;Kn(e.
params.length,s.branches.length);let i=s.branches.map(a=>Qn(t.map(c=>c===s?a:c))).filter(a=>a!==null),{label:o}=s;return i.
length?o===null?new b(e.params,e.extra,i):Gn(o,i)?Xn(e,o,i):e:e}function Zr(e){if(e.includes(null))return null;let t=e.filter(
s=>s!==k);return t.length<e.length&&t.every(s=>x(s,h))?k:pt(t)}var Ht=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],z=e=>new Set(e.split(" ")),es=z("additionalItems addi\
tionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties"),ns=z("allOf anyO\
f items oneOf prefixItems"),ss=z("$defs definitions dependencies dependentSchemas patternProperties properties"),Vr=z("c\
onst default example type"),Qr="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|\
number float Float double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array A\
rrayList Queue Stack|object dict Dict Object Map HashMap Hashtable|any Any",mt=new Map([["","any"]]);for(let e of Qr.split(
"|"))for(let t of e.split(" "))mt.set(t,e.split(" ")[0]);var vr=new Map([["array","items"],["object","additionalProperti\
es"]]);function m(e){return e instanceof Map}var Ft=2020,rs=new Map;for(let[e,t]of[[6,"const contains propertyNames"],[7,
"else if then"],[2019,"$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevalu\
atedProperties"],[Ft,"$dynamicRef prefixItems"]])for(let n of t.split(" "))rs.set(n,e);function Wt(e,t,n,s){let r=c=>!n||
(rs.get(c)??0)<=s,i=new Map([...e].filter(([c,u])=>(u!==null||Vr.has(c))&&r(c))),o=e.get("type"),a=typeof o=="string"&&![
"any","object"].includes(mt.get(o)??"any");typeof i.get("required")=="boolean"&&a&&i.delete("required");for(let[c,u]of[[
"minimum","exclusiveMinimum"],["maximum","exclusiveMaximum"]]){let f=i.get(u);typeof f=="boolean"&&(i.delete(u),!(!f||!i.
has(c))&&(i.set(u,i.get(c)),i.delete(c)))}return i.has("type")?ti(i,t,n):i}function ti(e,t,n){let s=e.get("type"),r=typeof s==
"string"&&!mt.has(s)?ei(s):null;r&&(e=new Map([...r,...e]),s=r.get("type")),gt("type",s,`${t}/type`);let i=[s].flat().map(
f=>mt.get(f)),o=i.indexOf(void 0);if(o>=0)throw new l("E501",`no type has the name ${y([s].flat()[o])}`,{pointer:`${t}/t\
ype`});i.includes("any")?e.delete("type"):e.set("type",i);let a=e.get("enum"),c=e.get("items")??new Map,u=Array.isArray(
a)&&a.length>0&&!a.some(Array.isArray);return i.join()==="array"&&m(c)&&u&&!n&&(e.set("items",new Map([...c,["enum",a]])),
e.delete("enum")),e}function ei(e){let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&
t.endsWith("]"),s=n?t.slice(9,-1):t,r=s.indexOf("["),i=mt.get(r<0?s:s.slice(0,r)),o=vr.get(i??"");if(i===void 0||r>=0&&!(o&&
s.endsWith("]")))return null;let a=new Map([["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),f=i==="array"?c:
u<0?"":c.slice(u+1);a.set(o,new Map([["type",f.trim()]]))}return n?a.set("nullable",!0):a}var ni=z("$defs additionalItem\
s additionalProperties const contains default definitions dependencies dependentSchemas else example if items not patter\
nProperties properties propertyNames then unevaluatedItems unevaluatedProperties");function is(e){let t=r=>m(r)&&typeof r.
get("type")=="string";if(e.size===0||![...e.values()].every(t)||[...e.keys()].some(r=>ni.has(r)))return e;let s=[...e].filter(
([,r])=>!r.has("default")&&!r.get("type").endsWith("optional"));return new Map([["type","object"],["properties",e],["req\
uired",s.map(([r])=>r)]])}var je=e=>typeof e=="string",Ne=e=>typeof e=="boolean",Jt=e=>typeof e=="string"&&!U.test(e),Bt=e=>typeof e==
"bigint"?Mt(e):typeof e=="number"&&Number.isFinite(e),si=e=>$(e)&&Bt(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),
Ee=e=>Array.isArray(e)&&e.every(Jt),ri=e=>Array.isArray(e)&&e.length>0,vn=e=>Ne(e)||m(e),ts=e=>je(e)&&It(e),ii=e=>m(e)&&
[...e.keys()].every(Jt),os=new Map;for(let[e,t]of[["$ref format $dynamicRef $recursiveRef",je],["type",n=>je(n)||Ee(n)],
["required",Ee],["additionalItems",vn],["items",n=>vn(n)||Array.isArray(n)],["pattern",ts],["patternProperties",n=>m(n)&&
[...n.keys()].every(ts)],["prefixItems",Array.isArray],["dependencies dependentSchemas",ii],["properties",m],["enum",Array.
isArray],["anyOf oneOf allOf",ri],["minContains maxContains minItems maxItems minLength maxLength minProperties maxPrope\
rties",si],["nullable uniqueItems",Ne],["multipleOf",n=>$(n)&&Bt(n)&&n>0],["dependentRequired",n=>m(n)&&[...n.values()].
every(Ee)],[Ht.join(" "),Bt]])for(let n of e.split(" "))os.set(n,t);function gt(e,t,n){if(os.get(e)?.(t)===!1)throw new l(
"E502",`${e} cannot be ${y(t)}`,{pointer:n});if(e==="properties")for(let s of t.keys())Ut(s,n);if(e==="required"&&Array.
isArray(t))for(let s of t)Ut(s,n)}function Ut(e,t){let n=J.exec(e)?.[0];if(n===void 0)return;let s=n.codePointAt(0).toString(
16).toUpperCase().padStart(4,"0");throw new l("E502",`${y(e)} cannot be a name: U+${s}`,{pointer:t})}function Ie(e){return e===
null||Ne(e)||Jt(e)||Bt(e)}function dt(e,t=0){return t>64?!1:m(e)?[...e].every(([n,s])=>Jt(n)&&dt(s,t+1)):Array.isArray(e)?
e.every(n=>dt(n,t+1)):Ie(e)}var Te="lton:///";function yt({draft:e}){return e<2019}function Kt({draft:e}){return e<6?"id":"$id"}var ot=class e{constructor(t,n){
this.resource=t,this.known=n}static of(t){let n=new Re(t);return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){
return t===this.resource.schema||!t.has(Kt(this.resource))?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){
let[s,r]=cs(this.resource.address,t)??[],i=s===void 0?void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;
throw new l("E504",`no schema here has the name ${JSON.stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=ci(n);if(s===
"")return{target:t.schema,scope:this.in(t)};if(!s.startsWith("/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,
scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split("/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.
isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=m(r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(
r,t)}return{target:r,scope:this.in(t)}}},Re=class{constructor(t){this.byAddress=new Map,this.bySchema=new Map,this.root=
as(t,{address:"",draft:Ft})}resourceOf(t,n){return this.look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),
this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of oi(this.root))this.byAddress.set(t.address,t),this.bySchema.
set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.root)}}};function oi(e){let t=[e],n=[[e.schema,e]],s=new Set;
for(;n.length;){let[r,i]=n.pop();if(!m(r)||s.has(r))continue;s.add(r);let o=r.get(Kt(i));if(o!=null&&typeof o!="string"&&
Kt(i)==="$id")throw Pe();typeof o=="string"&&r!==e.schema&&!(yt(i)&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(
1),r):t.push(i=as(r,i)));for(let a of["$anchor","$dynamicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),
a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of ai(r))n.push([a,i])}return t}function as(e,t){let{draft:n}=t,s=m(
e)?e.get("$schema"):void 0;if(typeof s=="string"){let o=/draft-0([0-9])|draft\/([0-9]{4})-/.exec(s);n=o?Number(o[1]??o[2]):
Ft}let r=m(e)?e.get(Kt({draft:n})):void 0,i=typeof r=="string"?cs(t.address,r)?.[0]:"";if(i===void 0)throw Pe();return{address:i,
schema:e,draft:n,anchors:new Map,dynamic:new Map}}function*ai(e){for(let[t,n]of e)if(ss.has(t)&&n!==null){if(!m(n))throw Pe();
yield*n.values()}else ns.has(t)&&Array.isArray(n)?yield*n:es.has(t)&&(yield n)}function Pe(){return new l("E502","expect\
ed a schema, found something else in a part of it")}function cs(e,t){let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")
return[e,s];try{let r=new URL(n,e.includes(":")?e:Te+e).href;return[r.startsWith(Te)?r.slice(Te.length):r,s]}catch{return null}}
function ci(e){try{return decodeURIComponent(e)}catch{return e}}var Le=1e7,ui=20,fi=30,li=100,hi=z("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),Zt=class extends Error{};
function ds(e,t){let n=ot.of(e),s=new _e(t);return r=>{let i=new Ce(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
Zt)return{path:[],problem:`it takes more than ${Le} steps to check the arguments`,code:"E506"};if(o instanceof l||o instanceof
RangeError)return O(`the arguments cannot be checked: ${o.message}`);throw o}}}var _e=class{constructor(t){this.standard=
t,this.plans=new Map,this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=pi(t,n,this.
standard),i=[...Ai].filter(([a])=>r.has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedPr\
operties");s={keywords:r,judges:i,asksForMarks:o,isKept:[...r.keys()].some(a=>hi.has(a))},this.plans.set(t,s)}return s}matcher(t){
let n=this.matchers.get(t);return n===void 0&&this.matchers.set(t,n=rt.of(t)),n}},Ce=class{constructor(t,n,s){this.value=
t,this.known=n,this.formats=s,this.steps=0,this.limit=Le,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=
this.limit)&&(this.limit=Le+ui*F(this.value),this.steps>this.limit))throw new Zt}}judge(t,n,s,r,i){if(!m(t))return t===!1?
O("nothing is allowed here"):null;this.spend(li),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.
plan(t,s.resource),a=i===null&&o.isKept?this.keptOf(t,n):null,c=a?.find(([p])=>p.length===r.length&&p.every((g,S)=>g===r[S]));
if(c)return c[1];this.spend(20*o.judges.length);let u=i??(o.asksForMarks?new Set:null),f=new De(this,o.keywords,s,r,u),d=null;
for(let[[p,g],S]of o.judges)if(p(n)&&(d=g(S,n,f)))break;return a?.push([r,d]),d}keptOf(t,n){let s=this.judged.get(t)??new Map,
r=s.get(n)??[];return s.set(n,r),this.judged.set(t,s),r}},De=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
scope=s,this.around=r,this.marks=i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.
marks&&new Set,r=this.judge(t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.
judge(t,n);return r&&{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.
at(s)}}at(t){return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.
search(n,this.run.spend)??null}};function O(e){return{path:[],problem:e,code:"E214"}}function F(e){let t=fi;if(typeof e==
"string")t+=M(e);else if(Array.isArray(e))for(let n of e)t+=F(n);else if(typeof e=="object"&&e!==null){let n=e instanceof
Map?e:Object.entries(e);for(let[s,r]of n)t+=M(s)+F(r)}return t}function Q(e){return $(e)?String(K(e)):Array.isArray(e)?`\
[${e.map(Q).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([
n,s])=>`${JSON.stringify(n)}:${Q(s)}`).sort().join()}}`}function pi(e,t,n){let s=new Map(Wt(e,"",n,t.draft));if(yt(t)&&s.
has("$ref"))return new Map([["$ref",s.get("$ref")]]);Array.isArray(s.get("items"))&&(s.set("prefixItems",s.get("items")),
s.delete("items"),s.has("additionalItems")&&s.set("items",s.get("additionalItems")));for(let[i,o]of s.get("dependencies")??
[]){let a=Array.isArray(o)?"dependentRequired":"dependentSchemas";s.set(a,new Map([...s.get(a)??[],[i,o]]))}for(let[i,o]of s)
gt(i,o,"");let r=s.get("nullable")===!0;return s.delete("nullable"),r?new Map([["anyOf",[s,new Map([["type",["null"]]])]]]):
s}var P=()=>!0,bt=e=>typeof e=="string",X=e=>Array.isArray(e),mi={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>$(
e)&&At(e),number:$,string:bt,array:X,object:E};function T(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var Gt=(e,t)=>(n,s)=>t(
s,n)?null:O(`${s} is not ${e} ${String(n)}`),at=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:O(`a size of ${i}, not ${e}\
 ${String(s)}`)},Xt=(e,t)=>e>=t,Yt=(e,t)=>e<=t,us=e=>Object.keys(e).length;function fs(e){if(typeof e=="bigint")return[e,
0];let[t="",n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-
s-1)]}function di(e,t){let[[n,s],[r,i]]=[fs(e),fs(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}
var ls=(e,t)=>{let n=e.find(s=>!A(t,s));return n===void 0?null:O(`${y(n)} is missing`)},hs=(e,t,n,s)=>e===!1?O(`${y(n)} \
is not allowed here`):s.inner(e,t[n],n);function gs(e,t,n,s){let r=new Set(t.filter(ps).map(u=>u.path[0])),i=t.flatMap((u,f)=>ps(
u)?[]:[f]),[o]=i;if(o!==void 0&&i.length===1&&r.size===1){let[u]=r;if(gi(e[o],u,s))return t[o]}let a=Math.max(...t.map(u=>u.
path.length)),c=t.filter(u=>u.path.length===a);return c.length===1?c[0]:O(`${y(n)} is allowed by no schema`)}function ps(e){
return e.isOfList===!0&&e.path.length===1}function gi(e,t,n){let s=m(e)?e.get("$ref"):void 0,r=s===void 0?e:n.lookup(s).
target,i=m(r)?r.get("properties"):null;return m(i)&&i.has(String(t))}function yi(e,t,n){let s=t.flatMap((o,a)=>n.judge(e,
o)?[]:[a]);for(let o of s)n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;
return r<=s.length&&s.length<=i?null:O(`${s.length} items match \`contains\``)}function bi(e,t,n){let{target:s,there:r}=n.
lookup(e),i=e.slice(e.lastIndexOf("#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(
a=>a.dynamic.has(i));s=o.dynamic.get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function wi(e,t,n){let{target:s,there:r}=n.
lookup(e),i=o=>m(o)&&o.get("$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=
o.schema,r=r.at(r.scope.in(o))}return r.beside(s,t)}function xi(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)
s.push(i);else if(n.marks===null)return null}return s.length===e.length?gs(e,s,t,n):null}function Si(e,t,n){let s=e.map(
i=>n.beside(i,t)).filter(i=>i!==null),r=e.length-s.length;return r>1&&!$i(t,n.keywords)?O(`${y(t)} is allowed by ${r} sc\
hemas, not by one`):r?null:gs(e,s,t,n)}function $i(e,t){let n=t.get("discriminator"),s=m(n)?n.get("propertyName"):null;return E(
e)&&typeof s=="string"&&A(e,s)}function Oi(e,t,n){n.run.spend(F(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(
e.map(Q))),s.get(e).has(Q(t))}var Ai=new Map([["type",[P,(e,t)=>e.some(n=>mi[n](t))?null:O(`${y(t)} is not of type ${String(
e)}`)]],["enum",[P,(e,t,n)=>Oi(e,t,n)?null:{...O(`${y(t)} is not listed`),isOfList:!0}]],["const",[P,(e,t,n)=>(n.run.spend(
F(t)+F(e)),Q(t)===Q(e)?null:{...O(`${y(t)} is not ${y(e)}`),isOfList:!0})]],["minimum",[$,Gt("at least",Xt)]],["maximum",
[$,Gt("at most",Yt)]],["exclusiveMinimum",[$,Gt("more than",(e,t)=>e>t)]],["exclusiveMaximum",[$,Gt("less than",(e,t)=>e<
t)]],["multipleOf",[$,(e,t)=>di(t,e)?null:O(`${t} is not a multiple of ${String(e)}`)]],["minLength",[bt,at("at least",M,
Xt)]],["maxLength",[bt,at("at most",M,Yt)]],["minItems",[X,at("at least",e=>e.length,Xt)]],["maxItems",[X,at("at most",e=>e.
length,Yt)]],["minProperties",[E,at("at least",us,Xt)]],["maxProperties",[E,at("at most",us,Yt)]],["pattern",[bt,(e,t,n)=>n.
matches(e,t)===!1?O(`${y(t)} does not match ${y(e)}`):null]],["format",[bt,(e,t,n)=>{let s=n.run.formats?Z.get(e):void 0;
return s&&n.run.spend(t.length),s?.(t)===!1?O(`${y(t)} is not a ${String(e)}`):null}]],["required",[E,(e,t)=>ls(e,t)]],[
"dependentRequired",[E,(e,t)=>T(e,([n,s])=>A(t,n)?ls(s,t):null)]],["uniqueItems",[X,(e,t,n)=>(n.run.spend(F(t)),e&&new Set(
t.map(Q)).size<t.length?O("an item is there twice"):null)]],["propertyNames",[E,(e,t,n)=>{let s=T(Object.keys(t),r=>n.judge(
e,r));return s&&{...s,path:[]}}]],["additionalProperties",[E,(e,t,n)=>{let s=n.keywords.get("properties"),r=[...n.keywords.
get("patternProperties")?.keys()??[]],i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return T(Object.keys(t),o=>i(o)?hs(
e,t,o,n):null)}]],["prefixItems",[X,(e,t,n)=>T(e.slice(0,t.length).entries(),([s,r])=>n.inner(r,t[s],s))]],["items",[X,(e,t,n)=>{
let s=(n.keywords.get("prefixItems")??[]).length;return T(t.slice(s).entries(),([r,i])=>n.inner(e,i,s+r))}]],["contains",
[X,yi]],["properties",[E,(e,t,n)=>T(Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],["patternProperties",[E,
(e,t,n)=>T(e,([s,r])=>T(Object.keys(t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[P,(e,t,n)=>{let{target:s,there:r}=n.
lookup(e);return r.beside(s,t)}]],["$dynamicRef",[P,bi]],["$recursiveRef",[P,wi]],["allOf",[P,(e,t,n)=>T(e,s=>n.beside(s,
t))]],["anyOf",[P,xi]],["oneOf",[P,Si]],["if",[P,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"then")??!0,t)]],
["dependentSchemas",[E,(e,t,n)=>T(e,([s,r])=>A(t,s)?n.beside(r,t):null)]],["not",[P,(e,t,n)=>n.judge(e,t)?null:O(`${y(t)}\
 is what \`not\` excludes`)]],["unevaluatedItems",[X,(e,t,n)=>T(t.entries(),([s,r])=>n.marks.has(s)?null:n.inner(e,r,s))]],
["unevaluatedProperties",[E,(e,t,n)=>T(Object.keys(t),s=>n.marks.has(s)?null:hs(e,t,s,n))]]]);var ki=["enum","const","anyOf","oneOf","allOf"],Ei=["properties","additionalProperties","patternProperties","$ref",...ki],
ji=[...z("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),...Ht],Ni=z("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),Ii=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],Ti=10;function ws(e,t,n){!n&&m(e)&&(e=
Pi(e));let s=new ze(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new l("E502","expected the schema of an obje\
ct",{pointer:t});let i=s.recursive.get(e)??r.name;return{args:new b(r.params,r.extra,[],null,i),isChecked:s.isChecked,notes:s.
notes}}function Ri(e,t){let{object:n}=e;return t===void 0||!n||n.branches.length?e:new w({...e,object:new b(n.params,n.extra,
[],n.label,t)})}function Pi(e){return Ei.some(n=>(e.get(n)??null)!==null)?e:new Map([...e,["properties",new Map]])}var ze=class{constructor(t,n,s){
this.root=n,this.standard=s,this.isChecked=!1,this.notes={unmatched:[],unsayable:[],defaulted:[]},this.positions=0,this.
texts=0,this.repeated=0,this.steps=0,this.done=new Map,this.open=new Map,this.recursive=new Map,this.mentioned=new Map,this.
declared=[],this.scope=ot.of(m(t)?t:new Map),this.open.set(t,1)}count(t){if(this.positions+=t,this.positions+Math.floor(
this.repeated/100)>1e5)throw new l("E505",`a schema of more than ${1e5} positions`,{pointer:this.root})}countTexts(t,n){
this.texts+=t,n&&(this.repeated+=t),this.count(0)}mention(t,n){this.mentioned.set(t,[...this.mentioned.get(t)??[],...n])}apart(t){
let{mentioned:n,declared:s}=this;this.mentioned=new Map,this.declared=[];let r={type:t(),mentioned:this.mentioned};return this.
mentioned=n,this.declared=s,r}position(t,n,s,r){this.steps+=1;let{type:i,mentioned:o}=this.apart(()=>this.schema(t,n,s,r));
this.steps-=1;let{object:a}=i;if(!a||a.extra!==k&&!a.branches.length)return i;let u=[...o.keys()].filter(f=>!a.byName.has(
f)).map(f=>({name:f,type:D(o.get(f)).type,required:!1,description:""}));return new w({...i,object:qt(a,u)})}schema(t,n,s,r){
if(r>64)throw new l("E301",`nested deeper than ${64}`,{pointer:n});if(this.count(1),typeof t=="boolean")return t?h:oe;if(!m(
t))throw new l("E502",`expected a schema, found ${y(t)}`,{pointer:n});s=s.inside(t);let i=new qe(this,Wt(t,n,this.standard,
s.resource.draft),n,s,r);i.look();try{let o=i.compile();return x(o,h)&&!o.recursion?h:o}catch(o){throw!(o instanceof l)||
o.pointer!==void 0?o:new l(o.code,o.problem,{pointer:n})}}},qe=class{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
place=s,this.scope=r,this.depth=i}at(...t){return this.place+v(t)}inner(t,...n){return this.run.position(t,this.at(...n),
this.scope,this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.depth+1)}all(t){return(this.
keywords.get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??new Map}look(){for(let[t,n]of this.
keywords)gt(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.match([...n.keys()],t):t==="for\
mat"?this.run.isChecked||=!this.run.standard&&Z.has(n):Ni.has(t)&&!(t==="uniqueItems"&&n===!1)&&(this.run.isChecked=!0)}match(t,n){
let s=t.map(r=>rt.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),0)/Ti)),s.includes(null)?this.run.notes.
unmatched.push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,s=[];if(t.has("$ref")&&(s.push(this.
referenced(t.get("$ref"))),yt(this.scope.resource)))return s[0];let r=this.kinds();r&&s.push(this.byKind(r));let i=n.declared;
n.declared=[...i,...s.flatMap(a=>a.object?.byName??[])],t.has("enum")&&s.push(this.listed("enum",t.get("enum"))),t.has("\
const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])t.has(a)&&s.push(this.union(a));s.push(
...this.all("allOf")),n.declared=i;let o=pt(s);return this.mention(),this.checkHidden(),t.get("nullable")?D([o,new w({null:!0})]).
type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.scope.lookup(t,s);if(n.open.has(r)){if(n.
open.get(r)===n.steps)throw new l("E504","the reference names itself",{pointer:s});n.isChecked=!0;let a=t.slice(t.lastIndexOf(
"/")+1).replace(/^#/,"");return n.recursive.set(r,a),new w({...h,recursion:{name:a,others:null}})}let o=n.done.get(r);if(o)
n.count(o.positions),n.countTexts(o.texts,!0);else{t.startsWith("#/")&&(s=n.root+t.slice(1));let{positions:a,texts:c}=n;
n.open.set(r,n.steps);let u=n.apart(()=>n.schema(r,s,i,this.depth+1));n.open.delete(r),o={...u,type:Ri(u.type,n.recursive.
get(r)),positions:n.positions-a,texts:n.texts-c},n.done.set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);return o.type}union(t){
let n=this.labelled(this.all(t),t),s=Yn(n,this.run.declared),r=D(s);return(!r.isExact||s!==n||t==="oneOf"&&Vn(n))&&(this.
run.isChecked=!0),r.type}labelled(t,n){let s=this.keywords.get("discriminator"),r=m(s)?s.get("propertyName"):null;if(!m(
s)||typeof r!="string")return t;let i=s.get("mapping"),o=m(i)?i:new Map,a=this.keywords.get(n);return t.map((c,u)=>Di(c,
r,Ci(a[u],o)))}mention(){let t=[];for(let n of["if","then","else"])this.keywords.has(n)&&t.push(this.beside(this.keywords.
get(n),n));for(let n of["dependentSchemas","dependencies"])for(let[s,r]of this.members(n))Array.isArray(r)||t.push(this.
beside(r,n,s));for(let{object:n}of t)for(let s of n?.params??[])this.run.mention(s.name,[s.type])}checkHidden(){this.keywords.
has("not")&&this.beside(this.keywords.get("not"),"not");for(let t of["contains","propertyNames","unevaluatedItems","unev\
aluatedProperties"])this.keywords.has(t)&&this.inner(this.keywords.get(t),t)}listed(t,n){let s=n.filter(zi);s.length<n.length&&
this.run.notes.unsayable.push(this.at(t));let r=s.filter(u=>typeof u=="object"&&u!==null);r.length&&(this.run.isChecked=
!0);let i=s.filter(u=>typeof u!="object"||u===null),o=i.find(u=>!Ie(u));if(o!==void 0)throw new l("E502",`a label cannot\
 be ${y(o)}`,{pointer:this.at(t)});let a=i.filter($),c=i.filter(u=>typeof u=="string");return this.run.countTexts(c.reduce(
(u,f)=>u+M(f),9*s.length),!1),new w({null:i.includes(null),booleans:[!1,!0].filter(u=>i.includes(u)),number:a.length?new I(
{integer:a.every(u=>typeof u=="bigint"),values:a}):null,string:c.length?new j({values:[...new Set(c)]}):null,array:r.some(
Array.isArray)?h.array:null,object:r.some(m)?h.object:null})}kinds(){let{keywords:t}=this;if(t.has("type"))return t.get(
"type");if(!ji.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:Ii.find(([s])=>t.has(s));return n?[n[1]]:["n\
ull","boolean","number","string","array","object"]}byKind(t){let n=t.includes("number")||t.includes("integer");return new w(
{null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?this.number(!t.includes("number")):null,string:t.
includes("string")?this.string():null,array:t.includes("array")?this.array():null,object:t.includes("object")?this.object():
null})}string(){let t=this.keywords.get("format"),n=typeof t=="string"&&!this.run.standard&&Z.has(t);return new j({min:this.
size("minLength")??0,max:this.size("maxLength"),format:n?t:void 0})}number(t){let n=Ht.map(s=>[s,this.keywords.get(s)]);
return new I({integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.has(t)?Number(this.keywords.get(t)):void 0}array(){
let t=this.keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.isChecked=!0);let s=n?t:this.keywords.get("prefixIt\
ems")??[],r=n?this.keywords.get("additionalItems")??!0:t,i=s.map((d,p)=>this.inner(d,n?"items":"prefixItems",p)),o=this.
size("maxItems");r===!1&&(o=Math.min(o??1/0,s.length));let a=[...i],c=r===!1&&s.length?null:this.inner(r,n?"additionalIt\
ems":"items");o!==void 0&&s.length&&o<=s.length&&(c=null),c&&i.push(c);let u=D(i).type,f=this.size("minItems")??0;return s.
length?new R(u,f,o,a,c):new R(u,f,o)}object(){let t=new Set(this.keywords.get("required")??[]),n=this.members("propertie\
s"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),i=s===k?h:s??oe,o=[...t].filter(a=>!n.has(a));return this.
run.count(o.length),new b([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],s)}extra(){let{keywords:t}=this,
n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.members("patternProperties");
for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedProperties")??!1)!==!1;return n===
void 0&&(this.run.standard||i)?h:n===void 0&&!s.length?t.has("properties")?k:h:n===!1&&!r.size?null:D(s).type}param(t,n,s){
let r=this.inner(n,"properties",t),i=m(n)?n:new Map,o=!1,a=i.get("$ref");if(typeof a=="string"&&a&&!i.get("description")){
let{target:p}=this.scope.inside(i).lookup(a,this.at("properties",t,"$ref"));o=m(p),m(p)&&(i=new Map([...p,...i]))}let c=i.
get("default"),u=i.get("description"),f=typeof u=="string"?u:"",d=c!==void 0&&dt(c)?c:void 0;return s&&d!==void 0&&this.
run.notes.defaulted.push(this.at("properties",t)),this.run.countTexts(M(f)+(d===void 0?0:F(d)),o),{name:t,type:r,required:s,
description:f,default:d,examples:Li(i),pattern:_i(i)}}};function Li(e){let t=e.get("examples"),n=e.get("example");return(Array.
isArray(t)?t:n===void 0?[]:[n]).slice(0,1).filter(dt)}function _i(e){let t=e.get("anyOf"),n=Array.isArray(t)?t.filter(m).
filter(i=>i.get("type")!=="null"):[],s=n.length===1?n[0]:e,r=s.get("pattern");return typeof r=="string"&&!s.has("format")?
r:""}function Ci(e,t){let n=m(e)?e.get("$ref"):null;if(typeof n!="string")return[];let s=bs(n),r=[...t].filter(([,i])=>typeof i==
"string"&&bs(i)===s);return r.length?r.map(([i])=>i):[s]}function bs(e){return e.slice(e.lastIndexOf("/")+1)}function Di(e,t,n){
let{object:s}=e,r=s?.byName.get(t);if(!s||!r?.type.string||!r.type.hasLabels&&!n.length)return e;let i=r.type.hasLabels?
r.type:new w({string:new j({values:n})}),o={...r,type:i,required:!0,default:void 0},a=s.params.map(c=>c===r?o:c);return new w(
{...e,object:new b(a,s.extra,s.branches,s.label,s.name)})}function zi(e){return typeof e!="string"||!U.test(e)}var qi=["parameters","input_schema","inputSchema"],Bi=["properties","$ref","allOf","anyOf","oneOf"],xs=8,Vt=class e{constructor(t,n=[],s=[],r=[],i=[]){
if(this.tools=t,this.unmatched=n,this.unsayable=s,this.defaulted=r,this.leftOut=i,this.prints=new Map,this.byName=new Map(
t.map(o=>[o.alias||o.name,o])),this.byName.size<t.length||new Set(t.map(o=>o.name)).size<t.length)throw new l("E503","tw\
o tools have one name",{pointer:""})}static from(t,{standard:n=!1,strict:s=!1,toJSONSchema:r}={}){let i=new Map,o=typeof t==
"string"?St(t):Xe(Ve(t,r??null,i)),a=m(o)?o.get("tools")??[o]:o;if(!Array.isArray(a))throw new l("E502",`expected tool d\
efinitions, found ${y(a)}`,{pointer:""});let c={unmatched:[],unsayable:[],defaulted:[]},u=[],f=[];for(let[d,p]of a.entries())
try{if(i.has(d))throw i.get(d);u.push(Ui(p,`/${d}`,n,c))}catch(g){if(s||!(g instanceof l))throw g;f.push(g)}if(f.length&&
!u.length)throw f[0];return new e(u,c.unmatched,c.unsayable,c.defaulted,f)}toJSON(){return this.tools.map(({name:t,description:n,
schema:s})=>({name:t,...n&&{description:n},parameters:xt(s)}))}toString(){let t=this.tools.slice(0,xs).map(n=>n.name);return`\
<ToolSet of ${this.tools.length}: ${[...t,...this.tools.length>xs?["\u2026"]:[]].join(", ")}>`}get fingerprint(){return ye(
this.tools)}fingerprintOf(t){let n=this.prints.get(t.name)??ye([t]);return this.prints.set(t.name,n),n}prompt(t={}){return Dn(
this.tools,t)}get signatures(){return this.tools.map(t=>Pn(t))}};function Ui(e,t,n,s){let r=m(e)?e.get("function"):void 0;
if(m(r)&&([e,t]=[r,`${t}/function`]),!m(e))throw new l("E502","expected a tool definition",{pointer:t});let i=!e.has("na\
me")&&Bi.some(d=>e.has(d)),o=e.get(i?"title":"name");if(typeof o!="string"||!o)throw new l("E502",`expected the name of \
a tool, found ${y(o)}`,{pointer:t});Ut(o,t);let a=qi.find(d=>(e.get(d)??null)!==null),c=i?e:new Map([["type","object"]]);
!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),!n&&m(c)&&(c=is(c));let u=ws(c,t,n);s.unmatched.push(...u.notes.unmatched),s.unsayable.
push(...u.notes.unsayable),s.defaulted.push(...u.notes.defaulted);let f=e.get("description");return{name:o,alias:"",description:typeof f==
"string"?f:"",schema:c,args:u.args,check:u.isChecked?ds(c,n):null}}function q(e,t,n){return new l(e,t,{path:v(n)})}function Ss(e,t,n=U){if(typeof e=="string"){if(n.test(e))throw q("E401",
"U+0000 or a lone surrogate in a text",t)}else if(typeof e=="bigint"){if(!Mt(e))throw q("E302",`an integer of more than ${4096}\
 characters`,t)}else if(typeof e=="number"?!Number.isFinite(e):!Fi(e))throw q("E401",`expected a value of JSON, found ${typeof e==
"number"?e:Object.prototype.toString.call(e).slice(8,-1)}`,t)}function*$s(e,t,n=U){for(let[s,r]of e instanceof Map?e:Object.
entries(e)){if(typeof s!="string"||n.test(s))throw q("E401","this cannot be a name",t);r!==void 0&&(yield[s,r])}}function Fi(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}function Os(e,t,n,s){if(!e.length||!e.every(Be))return null;let r=e.map(d=>Object.keys(d)),i=r.reduce((d,p)=>d+p.length,
0),o=new Set(r.flat()).size;if(o+(o*e.length-i)>=i)return null;let a=As(e,t,s),c=a.flatMap(d=>d.cells),u=e.map((d,p)=>{let g=c.
map(S=>S[p]);for(;g.at(-1)==="_";)g.pop();return nt([...n.slice(p,p+1),...g])}),f=`(${nt(a.map(d=>d.head))})`;return s?`${e.
length}${f}
${u.join(`
`)}`:`${f}${u.join(";")}`}function As(e,t,n){let s=t.inner(),r=new Set(e.flatMap(o=>Object.keys(o))),i=(n?[...r]:L(r)).map(
o=>{let a=e.map(u=>A(u,o)?u[o]:void 0);if(s&&Wi(a)){let u=As(a,s,n);return{order:2,head:`${_(o)}(${nt(u.map(f=>f.head))}\
)`,cells:u.flatMap(f=>f.cells)}}let c=a.map(u=>u===void 0?"_":t.write(u));return{order:Ji(c.filter((u,f)=>a[f]!==void 0)),
head:_(o),cells:[c]}});return n?i:i.sort((o,a)=>o.order-a.order)}function Be(e){return typeof e=="object"&&e!==null&&!Array.
isArray(e)}function Wi(e,t=2){let[n]=e;if(!Be(n))return!1;let s=Object.keys(n);return s.length>=t&&e.every(r=>Be(r)&&Object.
keys(r).length===s.length&&s.every(i=>A(r,i)))}function Ji(e){return e.some(t=>"\"'`[({".includes(t[0]))?2:e.every(t=>"-\
0123456789".includes(t[0]))?0:1}function Ki(e){if(typeof e!="object"||e===null)throw new l("E401","expected a call or an answer",{path:""});let{name:t,arguments:n}="\
function"in e?e.function:"input"in e?{name:e.name,arguments:e.input}:e;if(n===void 0)return e;if(typeof n!="string")return{
name:t,arguments:n};let s;try{s=St(n||"{}")}catch(r){throw new l("E401",`expected JSON as the arguments: ${r.problem}`,{
path:""})}if(!(s instanceof Map))throw new l("E401","expected an object as the arguments",{path:""});return{name:t,arguments:Ue(
s)}}function Ue(e){if(Array.isArray(e))return e.map(Ue);if(!(e instanceof Map))return e;let t=ne();for(let[n,s]of e)t[n]=
Ue(s);return t}function Ms(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!nn.includes(s))throw new l("E401",`no form\
 has the name ${String(s)}`);let i=new He(t,s,n),o=null;return[e].flat().map(c=>{let u=Ki(c);if(!("arguments"in u))return i.
answer(u);let f=i.call(u,r?null:o);return o=u.name,(r&&s!=="tagged"?se:"")+f}).join(`
`)}var He=class e{constructor(t,n,s,r=!1){this.tools=t,this.form=n,this.options=s,this.onLines=r,this.isPunctuated=n==="\
punctuated",this.isExact=s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new l(
"E212",`without tools, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=ks(t.arguments,i?.args??Et,
0,[]),a=i?.check?.(o);if(a)throw new l(a.code,a.problem,{path:v(a.path)});let c=_(i?.alias||t.name)+(this.options.fingerprint&&
s&&i?`#${s.fingerprintOf(i)}`:"");if(r==="tagged")return`${se}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,h))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let f=r==="wire"&&t.name===n?"&":c;return u.length?`${f} ${this.row(u)}`:f}answer(t){return(t.
error&&!t.name?on:`${t.error?rn:sn}${this.answerName(t.name)} `)+new e(null,"wire",this.options,this.options.lines).value(
Fe(t.value,h,0,[]),h)}answerName(t){return _(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||
U.test(t))throw new l("E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)
return n;throw new l("E201",`no tool ${W(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):nt(t)}members(t,n){
let s=n.branchOf(t),{row:r,keyed:i}=this.form==="wire"?s.arrange(t):{row:[],keyed:s.inOrder(t)},o=r.map(a=>a?this.value(
t[a.name],a.type):"_");for(let a of i)o.push(`${_(a)}=${this.value(t[a],s.typeOf(a)??h)}`);return o}pairs(t,n){let s=Object.
keys(t);return(this.onLines?s:L(s)).map(r=>`${_(r)} ${this.value(t[r],n)}`)}value(t,n){if(typeof t=="string")return un(t,
n.takesBare(t)&&(n.hasLabels||!this.isPunctuated),this.isPunctuated);if(typeof t=="number")return this.number(t);if(typeof t!=
"object"||t===null)return String(t);if(Array.isArray(t)){let o=n.array?.items??h,a=this.onLines?new e(null,"wire",this.options):
this,c=()=>this.row(t.map(u=>a.value(u,o)));return`[${a.table(t,o,[],this.onLines)??c()}]`}let s=n.object??Et;if(!s.isMap)
return`(${this.row(this.members(t,s))})`;let r=L(Object.keys(t));return`{${(this.onLines?null:this.table(r.map(o=>t[o]),
s.extra,r.map(_)))??this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(
t,-0)?String(t):H(t)}table(t,n,s=[],r=!1){return this.isPunctuated||!n.object?.isMap?null:Os(t,this.cells(n.object.extra),
s,r)}cells(t){return{write:n=>this.value(n,t),inner:()=>t.object?.isMap?this.cells(t.object.extra):null}}groups(t,n){let{
row:s,keyed:r}=n?.arrange(t)??{row:[],keyed:L(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||
!r.length?[`(${i.join(" ")})`]:[];for(let a of r)o.push(`(${ie(a)} ${this.atom(t[a],n?.typeOf(a)??h)})`);return o.join(`\

`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return st(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return st(
"b",String(t));if(typeof t=="bigint")return st(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return st(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??h)).join(" ")}]`;let s=(n.
object??Et).branchOf(t);return`{${s.inOrder(t).map(r=>`${ie(r)} ${this.atom(t[r],s.typeOf(r)??h)}`).join(" ")}}`}};function Fe(e,t,n,s){
Ss(e,s);let r=t.refuse(e);if(r)throw q(r[0],`expected ${r[1]}, found ${Ke(e)}`,s);if(typeof e!="object"||e===null)return e;
if(n>=64)throw q("E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>Fe(i,t.array.items,n+1,
[...s,o])):ks(e,t.object,n+1,s)}function ks(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw q("E401","e\
xpected an object of arguments",s);let r=ne(),i=t.branchOf(e instanceof Map?Object.fromEntries(e):e);for(let[o,a]of $s(e,
s)){let c=i.typeOf(o);if(!c)throw q("E202",`no parameter ${W(o)}`,s);r[o]=Fe(a,c,n,[...s,o])}for(let{name:o}of i.needs)if(!A(
r,o))throw q("E205",`${W(o)} is required`,s);return r}return Rs(Gi);})();
