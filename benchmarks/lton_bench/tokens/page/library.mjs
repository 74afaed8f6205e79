// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var Jt=Object.defineProperty;var fs=Object.getOwnPropertyDescriptor;var ls=Object.getOwnPropertyNames;var hs=Object.prototype.hasOwnProperty;var ps=(e,t)=>{for(var n in t)Jt(e,n,{get:t[n],enumerable:!0})},ms=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of ls(t))!hs.call(e,r)&&r!==n&&Jt(e,r,{get:()=>t[r],enumerable:!(s=fs(t,r))||s.enumerable});return e};var ds=e=>ms(Jt({},"__esModule",{value:!0}),e);var Mi={};ps(Mi,{LtonError:()=>l,ToolSet:()=>Ft,encode:()=>cs,sorted:()=>L});var l=class extends Error{#t;constructor(t,n,{doc:s,start:r=0,firstLine:i=1,...o}={}){let{pos:a,path:c,pointer:u}=o,f=c||
u?`at ${c||u}`:"",p=a===void 0?f:`position ${a}`,h={},y="";if(s!==void 0&&a!==void 0){let O=gs(s,a-r),ht=O.split(`
`),[pt,_e]=[i+ht.length-1,[...ht.at(-1)].length+1],Ce=s.indexOf(`
`,O.length);y=s.slice(O.lastIndexOf(`
`)+1,Ce<0?s.length:Ce),h={line:pt,column:_e},p=`line ${pt}, column ${_e}${f&&`, ${f}`}`}super(`${n}${p?` (${p})`:""} [${t}\
]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,o,h),this.#t=y}picture(t=76){if(this.column===void 0)
return"";let n=[...this.#t].map(ys),s=this.column-1,r=Math.max(0,Math.min(s-(t>>1),n.length-t));return`${n.slice(r,r+t).
join("")}
${n.slice(r,s).map(ws).join("")}^`}};function gs(e,t){let n=0;for(let s=t;s>0&&n<e.length;s-=1)n+=e.codePointAt(n)>65535?
2:1;return e.slice(0,n)}function ys(e){return/^[^\p{C}\p{Z}]$|^[ \t]$/u.test(e)?e:"\uFFFD"}var bs=/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
function ws(e){return e==="	"?e:/\p{M}/u.test(e)?"":bs.test(e)?"  ":" "}function Z(e){let t="";for(let n of e)t+=`/${String(
n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function g(e){let t;return typeof e=="string"?t=J(e.slice(0,41)):
e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an array":"an object",t.length>40?`${t.slice(0,
40)}\u2026`:t}function J(e){return e.includes("'")?JSON.stringify(e):`'${JSON.stringify(e).slice(1,-1).replaceAll('\\"',
'"')}'`}var Xt=1e3,xs=1e5,V=/[ \t\n\r]*/y,De=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,Ss=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
Os=/true|false|null/y,$s=new Map([["true",!0],["false",!1],["null",null]]);function dt(e,t=!1){let n=new Kt(e,t),s=n.value(
0);if(n.pos<e.length)throw n.unexpected("the end of the text");return s}var Gt=class{constructor(t){this.text=t,this.pos=
0}skip(t){let n=this.text[this.pos]===t;return this.pos+=Number(n),n}match(t){t.lastIndex=this.pos;let n=t.exec(this.text);
return this.pos+=n?n[0].length:0,n}},Kt=class extends Gt{constructor(t,n){super(t),this.isUnique=n}value(t){if(this.match(
V),t>Xt)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(V),n}unspaced(t){let n=this.match(
De);if(n)return JSON.parse(n[0]);let s=this.match(Ss);if(s)return this.number(s);let r=this.match(Os);if(r)return $s.get(
r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a value")}number([
t,n,s]){if(n||s)return Number(t);if(t.length>xs)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(t)}array(t){
let n=[];if(this.match(V),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip("]"))throw this.
unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(V),this.skip("}"))return n;do{this.match(V);let s=this.
match(De);if(!s)throw this.unexpected("a key in double quotes");if(this.match(V),!this.skip(":"))throw this.unexpected("\
a colon");let r=JSON.parse(s[0]);if(this.isUnique&&n.has(r))throw this.unexpected("a key once");n.set(r,this.value(t))}while(this.
skip(","));if(!this.skip("}"))throw this.unexpected("a comma or }");return n}unexpected(t){let[n=""]=this.text.slice(this.
pos,this.pos+2),s=n?JSON.stringify(n):"the end of the text";return new l("E502",`expected ${t}, found ${s}`,{pos:this.pos})}};
function ze(e){return qe(e,new Map,0)}function qe(e,t,n){if(typeof e=="number")return Number.isInteger(e)&&!Object.is(e,
-0)?BigInt(e):e;if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="object")throw new l(
"E502",`a ${typeof e} is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new l("E502","a definition contains i\
tself");return i}if(n>Xt)throw new l("E301",`nested deeper than ${Xt}`);t.set(e,void 0);let s=i=>qe(i,t,n+1),r=Array.isArray(
e)?e.map(s):new Map([...As(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,r),r}function As(e){return e instanceof
Map?e:Object.entries(e)}function mt(e){return typeof e=="bigint"?Number(e):Array.isArray(e)?e.map(mt):e instanceof Map?Object.
fromEntries([...e].map(([t,n])=>[t,mt(n)])):e}var ks="draft-2020-12",Ms={io:"input",typeMode:"input"},yt=["parameters","input_schema","inputSchema"],Es=new Set([...yt,
"name","title","description","function"]),js={zod:"pass { toJSONSchema: z.toJSONSchema } as the options",valibot:"pass {\
 toJSONSchema: toJsonSchema } of @valibot/to-json-schema as the options"};function Ue(e,t,n){let s=(i,o)=>{try{return He(
i,`/${o}`,t)}catch(a){if(!(a instanceof l))throw a;return n.set(o,a),null}};if(Array.isArray(e))return e.map(s);if(!Q(e))
return e;if(Array.isArray(e.tools))return e.tools.map(s);let r=Object.entries(e);if(!r.length||!r.every(([,i])=>Ns(i))){
let i=s(e,0);return i===null?[null]:i}return r.map(([i,o],a)=>s({...o,name:i},a))}function Ns(e){return Q(e)&&!gt(e)&&e.
name===void 0&&yt.some(t=>Q(e[t])||typeof e[t]=="function")}function He(e,t,n){if(gt(e))return Be(e,t,n);if(!(Q(e)&&(We(
e)||Object.values(e).some(i=>typeof i=="function"))))return e;let r={};for(let[i,o]of Object.entries(e))Es.has(i)&&(i===
"function"?r[i]=He(o,`${t}/${i}`,n):r[i]=yt.includes(i)&&gt(o)?Be(o,`${t}/${i}`,n):o);return r}function We(e){let t=e.function;
return yt.some(n=>gt(e[n]))||Q(t)&&We(t)}function Q(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)&&!(e instanceof
Map)}function gt(e){return e===null||typeof e!="object"&&typeof e!="function"||"$schema"in e?!1:"~standard"in e||"jsonSc\
hema"in e&&"validate"in e}function Be(e,t,n){let s=e["~standard"];if(!s)return Is(e,t);try{if(s.jsonSchema)return s.jsonSchema.
input({target:ks});if(n)return n(e,Ms)}catch(i){throw new l("E501",`${s.vendor} cannot write this schema as JSON Schema:\
 ${i.message}`,{pointer:t})}let r=js[s.vendor]??"pass its function as the option toJSONSchema";throw new l("E502",`this \
schema of ${s.vendor} does not write JSON Schema itself: ${r}`,{pointer:t})}function Is({jsonSchema:e},t){if(!Q(e)||typeof e.
then!="function")return e;throw new l("E502","expected a JSON Schema, found a promise: await the schema first",{pointer:t})}var Fe=10n**BigInt(4095),q=/[\0\ud800-\udfff]/u,X=/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;
function Xe(e){return e.replace(/[^]/g,t=>`\\u${t.charCodeAt(0).toString(16).padStart(4,"0")}`)}var Ts=/[\ud800-\udfff]/,
Rs=/[\ud800-\udbff][\udc00-\udfff]/g;function $(e){return Ts.test(e)?e.length-(e.match(Rs)?.length??0):e.length}function N(e){
return typeof e=="object"&&e!==null&&!Array.isArray(e)}function w(e){return typeof e=="number"||typeof e=="bigint"}function bt(e){
return typeof e=="bigint"||Number.isInteger(e)}function wt(e){return-Fe<e&&e<Fe}function H(e){if(typeof e=="number")return Number.
isInteger(e)&&!Number.isSafeInteger(e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(t)?t:e}function Yt(){return Object.
create(null)}var Ps=Object.prototype.hasOwnProperty;function M(e,t){return Ps.call(e,t)}function L(e){return[...e].sort(
Ls)}function Ls(e,t){let n=Math.min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[e.charCodeAt(s),t.charCodeAt(s)];
if(r!==i)return r>=55296&&i>=55296?Je(r)-Je(i):r-i}return e.length-t.length}function Je(e){return e<57344?e+65536:e}var Ge=["wire","keyed","punctuated","tagged"],Zt="!call ",Ke="!result ",Ye="!error ",Ze="!error: ";var Ve=/^[A-Za-z0-9_./-]+$/,Vt=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,Qe=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/,
_s=/[\n\r]/,Cs=/`{3,}/g;var Ds=['"',"'","`"];function xt(e){return Ve.test(e)}var zs=/["'`)\]}]$/,qs=/^[A-Za-z]/;function v(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(zs.test(e[n-
1])&&!qs.test(s)?",":" ")+s}return t}function _(e){return Ve.test(e)?e:St(e)??tn(e)}function Qt(e){return e==="n"||e==="\
_"?`"${e}"`:_(e)}function ve(e,t,n=!1){return t&&Vt.test(e)?e:St(e)??(n?tn(e):tt("s",e))}function tt(e,t){return`${e}${$(
t)}:${t}`}function St(e){if(_s.test(e))return null;let t=Ds.find(n=>!e.includes(n));return t?t+e+t:null}function tn(e){let t=2;
for(let[s]of e.matchAll(Cs))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function G(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var I=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
H)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get noun(){return this.integer?"an integer":
"a number"}refuse(t){if(this.integer&&!bt(t))return["E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.
listed.has(H(t)))return["E204",nn(this.values.map(G))];let n=this.broken(t);return n?["E208",`${this.noun} of ${n}`]:null}broken(t){
return this.minimum!==void 0&&!(t>=this.minimum)?`at least ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`a\
t most ${this.maximum}`:this.exclusiveMinimum!==void 0&&!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:
this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?`less than ${this.exclusiveMaximum}`:""}},E=class{constructor({
min:t=0,max:n,values:s}={}){this.min=t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=t===0&&n===void 0&&
s===void 0}get noun(){return this.values?nn(this.values.map(t=>J(t))):"a string"}refuse(t){if(this.isOpen)return null;if(this.
listed&&!this.listed.has(t))return["E204",this.noun];let n=sn($(t),this.min,this.max);return n?["E208",`a string of ${n}\
 characters`]:null}},C=class{constructor(t,n=0,s=void 0){this.items=t,this.min=n,this.max=s}refuse(t){let n=sn(t.length,
this.min,this.max);return n?["E208",`an array of ${n} items`]:null}},b=class{constructor(t=[],n=null,s=[],r=null){this.extra=
n,this.branches=s,this.label=r,this.needs=t.filter(o=>o.required),this.params=[...this.needs,...t.filter(o=>!o.required)],
this.byName=new Map(this.params.map(o=>[o.name,o])),this.isMap=t.length===0&&n!==null;let i=s.length>0&&r===null;this.turns=
i?[]:this.params}branchWith(t){let{label:n}=this;return n===null?null:this.branches.find(s=>s.byName.get(n)?.type.refuse(
t)===null)??null}branchOf(t){let{label:n}=this;return n===null||!M(t,n)?this:this.branchWith(t[n])?.branchOf(t)??this}typeOf(t){
return this.byName.get(t)?.type??this.extra}inOrder(t){return[...this.params.map(s=>s.name).filter(s=>M(t,s)),...L(Object.
keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.turns.map(o=>M(t,o.name)?o:null);for(;n.length&&n.at(-1)===
null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).length;s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(
n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(o=>!i.has(o))}}},S=class{constructor(t={}){this.null=t.null??
!1,this.booleans=t.booleans??[],this.number=t.number??null,this.string=t.string??null,this.array=t.array??null,this.object=
t.object??null,this.isWordy=this.string!==null&&!this.null&&this.booleans.length===0}get isAny(){let{array:t,number:n,object:s,
string:r}=this;if(this===m)return!0;let i=this.null&&this.booleans.length===2&&r?.isOpen&&n?.isOpen&&!n.integer,o=t?.items===
m&&t.min===0&&t.max===void 0;return!!i&&o&&s?.isMap===!0&&s.extra===m}get hasLabels(){return this.string?.values!==void 0}takesBare(t){
return!(this.null&&t==="null"||this.booleans.length>0&&(t==="true"||t==="false")||this.number!==null&&Qe.test(t))}refuse(t){
return typeof t=="string"?this.string?this.string.refuse(t):this.wrongKind():w(t)?this.number?this.number.refuse(t):this.
wrongKind():t===null?this.null?null:this.wrongKind():typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():
Array.isArray(t)?this.array?this.array.refuse(t):this.wrongKind():this.object?null:this.wrongKind()}wrongKind(){return["\
E203",this.noun]}get noun(){return[this.string?.noun,this.number?.noun,this.array&&"an array",this.object&&"an object",this.
booleans.join(" or "),this.null&&"null"].filter(Boolean).join(" or ")||"nothing"}};function Bs(){let e=new S({null:!0,booleans:[
!1,!0],number:new I({integer:!1}),string:new E});return Object.assign(e,{array:new C(e),object:new b([],e)})}var m=Bs(),
Ot=m.object,A=new S({...m}),vt=new S,en=8;function nn(e){if(e.length===1)return e[0];let t=e.length>en?`, \u2026 (${e.length}\
 in all)`:"";return`one of ${e.slice(0,en).join(", ")}${t}`}function sn(e,t,n){return e<t?`at least ${t}`:n!==void 0&&e>
n?`at most ${n}`:""}function k(e,t){return e===t||e.null===t.null&&on(e.booleans,t.booleans)&&W(e.number,t.number)&&W(e.string,t.string)&&W(
e.array,t.array)&&W(e.object,t.object)}function W(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof b&&
t instanceof b)return rn(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max"].every(r=>n[r]==s[r])&&on(e.values,t.values)&&(!(e instanceof C)||k(e.items,t.items))}function rn(e,t){if(e.
params.length!==t.params.length||e.extra===null!=(t.extra===null)||e.label!==t.label||e.branches.length!==t.branches.length||
!e.branches.every((s,r)=>rn(s,t.branches[r])))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.required&&k(s.type,r.
type);return e.params.every((s,r)=>n(s,t.params[r]))&&(e.extra===null||k(e.extra,t.extra))}function on(e,t){return e===t||
e!==void 0&&t!==void 0&&e.length===t.length&&e.every((n,s)=>n==t[s])}var rt=[];for(let e=2;rt.length<64;e+=1)rt.every(t=>e%t)&&rt.push(e);var an=e=>e%1*2**32|0,Us=rt.slice(0,8).map(e=>an(Math.
sqrt(e))),Hs=rt.map(e=>an(Math.cbrt(e))),D=(e,t)=>e>>>t|e<<32-t;function cn(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...Us],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)Ws(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function Ws(e,t,n,s){for(let h=0;h<64;h+=1)if(h<16)n[h]=e.getInt32(
t+4*h);else{let[y,O]=[n[h-15],n[h-2]],ht=D(y,7)^D(y,18)^y>>>3,pt=D(O,17)^D(O,19)^O>>>10;n[h]=n[h-16]+ht+n[h-7]+pt}let[r,
i,o,a,c,u,f,p]=s;for(let h=0;h<64;h+=1){let y=p+(D(c,6)^D(c,11)^D(c,25))+(c&u^~c&f)+Hs[h]+n[h]|0,O=(D(r,2)^D(r,13)^D(r,22))+
(r&i^r&o^i&o)|0;[p,f,u,c,a,o,i,r]=[f,u,c,a+y|0,o,i,r,y+O|0]}[r,i,o,a,c,u,f,p].forEach((h,y)=>s[y]=s[y]+h|0)}var Fs=new Set(["any","bool","false","int","never","null","num","str","true"]),$t="...",Js="str|num|bool|[any]|{any}|nul\
l";function ee(e,t=!0){return se(e)+new ot(t).members(e.args)}function ne(e){let t=e.map(n=>ee(n,!1)).map(n=>[[...n].map(
s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>Xs(n,s)),cn(t.map(([,n])=>n).join(`
`)).slice(0,8)}function Xs(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function se(e){
return e.alias?`${it(e.alias)}=${it(e.name)}`:it(e.name)}function At(e){return e===$t?`"${e}"`:it(e)}function it(e){return xt(
e)?e:re(e)}function re(e){return(X.test(e)?null:St(e))??`@${JSON.stringify(e).replace(new RegExp(X,"gu"),Xe)}`}function un(e){
return Vt.test(e)&&m.takesBare(e)?e:re(e)}var ot=class{constructor(t=!0){this.defaults=t}members(t){return`(${this.parts(
t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(s),s]);return t.extra?[...n,[`${$t}:${this.type(
t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=At(t.name)+(t.required?"":"?")+(n==="str"?"":`:${n}`);return this.
defaults&&!t.required&&t.default!==void 0&&t.default!==null?`${s}=${te(t.default)}`:s}type(t){if(k(t,m))return"any";let{
string:n,number:s,booleans:r,array:i,object:o}=t,a=[];n&&a.push(...n.values?n.values.map(Gs):["str"]),s&&a.push(...s.values?
s.values.map(G):[s.integer?"int":"num"]),r.length&&a.push(r.length>1?"bool":String(r[0])),i&&a.push(`[${this.type(i.items)}\
]`),o&&a.push(o.isMap?`{${this.type(o.extra)}}`:this.object(o)),t.null&&a.push("null");let c=a.join("|")||"never";return c===
Js?"any":c}object(t){return t.branches.length?[...new Set(t.branches.map(n=>this.object(n)))].join("|"):this.members(t)}};
function Gs(e){return Fs.has(e)||e.startsWith("@")?re(e):un(e)}function te(e){return typeof e=="string"?un(e):w(e)?G(e):
Array.isArray(e)?`[${e.map(te).join(" ")}]`:e instanceof Map?`{${[...e].map(([t,n])=>`${it(t)} ${te(n)}`).join(" ")}}`:String(
e)}var Ks=20,Ys=/[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,Zs=new RegExp(X,"gu"),ie="Tools: \
name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default; a|b is \
a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",Vs={wire:`${ie} its name and the val\
ues in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key\
 value}; _ for what you leave out, or name=value.`,keyed:`${ie} its name, then name=value for each, with spaces between;\
 "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${ie} name(par\
ameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function ln(e,{descriptions:t=!0,
primer:n}={}){let s=new ae(t),r=[...s.define(e.map(o=>o.args)),...e.map(o=>s.tool(o))],i=n&&Vs[n];return[...i?[i]:[],...r].
join(`
`)}var ae=class e extends ot{constructor(t){super(),this.descriptions=t,this.names=new Map}tool(t){let n=se(t);if(!this.
descriptions)return n+this.members(t.args);let s=[fn(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${fn(r,
i?.description??"")}`),i&&s.push(...oe(this.inside(i.type,At(i.name))));return s.join(`
`)}define(t){let n=t.flatMap(o=>[...hn(o,"")]).map(([o,a])=>({name:o,node:a,text:this.text(a)})),s=new Map;for(let{text:o}of n)
s.set(o,(s.get(o)??0)+1);let r=new Set,i=[];for(let{name:o,node:a,text:c}of n){if(s.get(c)<2||[...c].length<Ks||this.names.
has(c))continue;let u=this.members(a),f=xt(o)?o:"object",p=f;for(let h=2;r.has(p);h+=1)p=`${f}${h}`;r.add(p),this.names.
set(c,`@${p}`),i.push([`@${p}=${u}`,...this.descriptions?oe(this.about(a,"")):[]].join(`
`))}return i}object(t){let n=kt(t);return n.length>1?[...new Set(n.map(s=>this.object(s)))].join("|"):this.names.size&&this.
names.get(this.text(t))||this.members(t)}text(t){let n=new e(!0);return[n.members(t),...this.descriptions?oe(n.about(t,"")):
[]].join(`
`)}inside(t,n){if(t===m)return[];let s=t.array?this.inside(t.array.items,n):[];for(let r of t.object?kt(t.object):[])this.
names.size>0&&this.names.has(this.text(r))||s.push(...this.about(r,`${n}.`));return s}about(t,n){let s=t.params.flatMap(
r=>{let i=n+At(r.name),o=pn(r.description);return[...o?[[i,o]]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.
inside(t.extra,n+$t)]:s}};function oe(e){let t=new Map;for(let[n,s]of e)t.has(n)||t.set(n,`  ${n} ${s}`);return[...t.values()]}
function kt(e){return e.branches.length?e.branches.flatMap(kt):[e]}function*hn(e,t){for(let n of e.params)yield*ce(n.type,
n.name);e.extra&&(yield*ce(e.extra,t))}function*ce(e,t){if(e!==m){e.array&&(yield*ce(e.array.items,t));for(let n of e.object?
kt(e.object):[])yield*hn(n,t),n.params.length&&(yield[t,n])}}function fn(e,t){let n=pn(t);return n?`${e} ${n}`:e}function pn(e){
return e.split(Ys).filter(Boolean).join(" ").replace(Zs,"\uFFFD")}var mn=1e6,Qs=100;function B(e){if(e.some(r=>k(r,m)))return{type:m,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(u=>u!==
null);if(o.every(u=>W(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>W(u,a)),a};return{type:new S({null:e.
some(r=>r.null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),vs),string:n(e.
map(r=>r.string),tr),array:n(e.map(r=>r.array),er),object:n(e.map(r=>r.object),nr)}),isExact:t}}function vs(e){let t=e.every(
i=>i.integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[H(o),o]));return[new I({integer:t,
values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new I({integer:t}),!1];let n=i=>{let o=e.map(a=>a[i]);
return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?dn:gn)},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n(
"exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new I({integer:t,...s,...r}),!1]}var dn=(e,t)=>t<e?t:
e,gn=(e,t)=>t>e?t:e;function tr(e){return e.every(t=>t.values)?[new E({values:[...new Set(e.flatMap(t=>t.values))]}),!0]:
e.some(t=>t.values)?[new E,!1]:[new E({min:Math.min(...e.map(t=>t.min)),max:yn(e)}),!1]}function er(e){let t=B(e.map(n=>n.
items)).type;return[new C(t,Math.min(...e.map(n=>n.min)),yn(e)),!1]}function yn(e){let t=e.map(n=>n.max);return t.includes(
void 0)?void 0:Math.max(...t)}function bn(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):
void 0}function wn(e,t){let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);return xn(
n.size,t.length),n}function xn(e,t){if(e*t>mn)throw new l("E505",`objects combine to over ${mn} members`)}function nr(e){
let t=e.filter(i=>i.extra!==null&&i.extra!==A),n=!1,s=[...wn(e,t)].map(([i,o])=>{let a=t.filter(f=>!f.byName.has(i)).map(
f=>f.extra),c=B([...o.map(f=>f.type),...a]).type,u=o.length===e.length&&o.every(f=>f.required);return!u&&o.some(f=>f.required)&&
(n=!0),k(c,m)&&o.some(f=>!k(f.type,m))&&(n=!0),{...o[0],type:c,required:u}}),r=null;return t.length?r=B(t.map(i=>i.extra)).
type:e.some(i=>i.extra===A)&&(r=A),[sr(new b(s,r),e,n),!1]}function sr(e,t,n){let s=t.flatMap(r=>r.branches.length?r.branches:
[r]);if(s.length>Qs||!s.every(r=>r.params.length))return e;for(let r of[t,s]){let i=r[0].params.find(({name:o})=>Sn(o,r));
if(i)return On(e,i.name,r)}return n?new b(e.params,e.extra,s):e}function Sn(e,t){let n=t.map(r=>rr(r.byName.get(e))),s=n.
flat();return n.every(r=>r.length)&&new Set(s).size===s.length}function rr(e){if(!e?.required)return[];let{string:t,number:n,
booleans:s,array:r,object:i}=e.type;return[t,n].some(a=>a&&!a.values)||e.type.null||r||i||s.length>1?[]:[...t?.values??[],
...(n?.values??[]).map(H),...s]}function On(e,t,n){let{params:s,extra:r}=ue(t,e);return new b(s,r,n.map(i=>ue(t,i)),t)}function ue(e,t){
let n=r=>r.name===e,s=[...t.params.filter(n),...t.params.filter(r=>!n(r))];return new b(s,t.extra,t.branches.map(r=>ue(e,
r)),t.label)}function fe(e,t){let n=e.branches.map(r=>fe(r,t));if(e.extra!==A)return new b(e.params,e.extra,n,e.label);let s=[
...e.params,...t.filter(r=>!e.byName.has(r.name))];return new b(s,null,n,e.label)}function $n(e,t){let n=e.map(o=>o.object).
filter(o=>o?.extra===A),s=new Map;for(let o of n)for(let a of o.byName.keys())s.set(a,(s.get(a)??0)+1);let r=([o,a])=>a<
n.length&&t.some(c=>c.has(o)),i=new Set([...s].filter(r).map(([o])=>o));return i.size?e.map(o=>o.object?.extra!==A?o:new S(
{...o,object:An(o.object,i)})):e}function An(e,t){let n=e.params.filter(s=>!t.has(s.name));return e.label!==null&&t.has(
e.label)?new b(n,e.extra):new b(n,e.extra,e.branches.map(s=>An(s,t)),e.label)}function kn(e){let t=r=>e.filter(r).length,
n=e.flatMap(r=>r.booleans),s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.length>1&&(i.some(a=>!a.
values)||new Set(o.map(String)).size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||s(e.map(r=>r.number))||
s(e.map(r=>r.string))||t(r=>r.array)>1||t(r=>r.object)>1}function at(e){let t=e.filter(s=>!k(s,m));if(t.length<2)return t[0]??
m;let n=(s,r)=>{let i=s.filter(o=>o!==null);return i.length<s.length?null:i.every(o=>W(o,i[0]))?i[0]:r(i)};return new S(
{null:t.every(s=>s.null),booleans:[!1,!0].filter(s=>t.every(r=>r.booleans.includes(s))),number:n(t.map(s=>s.number),ir),
string:n(t.map(s=>s.string),or),array:n(t.map(s=>s.array),ar),object:n(t.map(s=>s.object),Mn)})}function ir(e){let t=e.some(
c=>c.integer),n=c=>{let u=e.map(f=>f[c]).filter(f=>f!==void 0);return u.length?u.reduce(/min/i.test(c)?gn:dn):void 0},s={
minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n("exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximu\
m")},i=new I({integer:t,...s,...r}),o=e.filter(c=>c.values);if(!o.length)return i;let a=o[0].values.filter(c=>[i,...o].every(
u=>u.refuse(c)===null));return a.length?new I({integer:t,values:a}):null}function or(e){let t=new E({min:Math.max(...e.map(
r=>r.min)),max:bn(e)}),n=e.filter(r=>r.values);if(!n.length)return t;let s=n[0].values.filter(r=>[t,...n].every(i=>i.refuse(
r)===null));return s.length?new E({values:s}):null}function ar(e){let t=at(e.map(n=>n.items));return new C(t,Math.max(...e.
map(n=>n.min)),bn(e))}function Mn(e){let t=e.filter(s=>s.extra!==A&&!(s.extra&&k(s.extra,m))),n=[];for(let[s,r]of wn(e,t)){
let i=r.some(u=>u.required),o=t.filter(u=>!u.byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}
let a=at([...r.map(u=>u.type),...o]),c=r.find(u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}
return cr(new b(n,ur(e.map(s=>s.extra))),e)}function cr(e,t){let n=t.filter(a=>a.branches.length),s=n[0];if(!s||n.length>
1)return e;xn(e.params.length,s.branches.length);let i=s.branches.map(a=>Mn(t.map(c=>c===s?a:c))).filter(a=>a!==null),{label:o}=s;
return i.length?o===null?new b(e.params,e.extra,i):Sn(o,i)?On(e,o,i):e:e}function ur(e){if(e.includes(null))return null;
let t=e.filter(s=>s!==A);return t.length<e.length&&t.every(s=>k(s,m))?A:at(t)}var j=class extends Error{};function jt(e){return le(e,"u")||le(e,"")}function le(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var fr=`
\r\u2028\u2029`,En={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},jn=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),he=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new j;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!fr.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new j;t=this.choice()}
if(!this.skip(")"))throw new j;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>jn(
r[i-1])!==jn(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new j;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new j;
if("dDwWsS".includes(t))return Nn(`\\${t}`);if(t in En)return En[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new j;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new j;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!le(r,"u"))throw new j;return this.pos+=s[0].length,Nn(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new j;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new j;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function Nn(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function Mt(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+Mt(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+Mt(e.part);if(e.kind!=="repeat")return 1;let t=Mt(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function Et(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+Et(n),0):e.kind==="any"?Math.min(...e.parts.map(Et)):e.kind==="repeat"?e.low*Et(e.part):0}var et=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new he(t).pattern(),s=Mt(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
j||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?Et(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new pe(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},pe=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var lr=/^(\d{4})-(\d\d)-(\d\d)$/,hr=1440,pr=/^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/i,
mr=/^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
In=String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`,dr=new RegExp(String.
raw`^(?:${In}(?:\.${In})*|"[^"\r\n]*")@([^]+)$`),gr=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,yr=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
br=/^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u,wr=/^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,
me=String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef`+Array.from({length:13},(e,t)=>(t+1).toString(16)).map(e=>String.raw`\u{${e}0000}-\u{${e}fffd}`).
join("")+String.raw`\u{e1000}-\u{efffd}`,Cn=String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;function It(e){
return new RegExp(String.raw`[^%${e}]|%(?![\da-fA-F]{2})`,"u")}var de=String.raw`\w.~!$&'()*+,;=:@\/?\-`,Tn=It(de),xr=It(
de+me),Sr=It(de+me+Cn),Or=It(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-`+me+Cn),Rn=String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`,
$r=new RegExp(String.raw`\{[+#./;?&=,!@|]?${Rn}(?:,${Rn})*\}`,"gi"),Ar=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,
kr=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,Mr=/^(?:0|[1-9]\d{0,2})$/,Er=/^[\da-f]{1,4}$/i;function Pn(e){let[,t,n,s]=lr.exec(
e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,
31,30,31,30,31][n-1]}function Ln(e){let[t,n,s,r,i,...o]=pr.exec(e)??[];if(t===void 0)return!1;if(r!=="60")return!0;let a=i?
+`${i}1`*(Number(o[0])*60+Number(o[1])):0;return(Number(n)*60+Number(s)-a+1)%hr===0}function _n(e,t=Dn){let n=dr.exec(e)?.[1]??
"",s=/^\[([^]*)\]$/.exec(n)?.[1];return s===void 0?t(n)&&!n.endsWith("."):s.startsWith("IPv6:")?ye(s.slice(5)):ge(s)}function Dn(e){
let t=e.replace(/\.$/,"");return t.length<=253&&t.split(".").every(n=>gr.test(n))}function jr(e){let t=n=>$(n)<=63&&br.test(
n)&&!/^-|-$/.test(n);return $(e)<=253&&e.split(".").every(t)}function ge(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>Mr.test(n)&&Number(n)<256)}function ye(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!ge(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>Er.test(o))&&(t.length===2?i<8:i===8)}function Nt(e,t,n){let s=wr.exec(e);if(!s)return!1;
let[,r,i="",o="",a="",c=""]=s;if(r===void 0&&(!t||o.split("/",1)[0].includes(":")))return!1;let u=n?xr:Tn,f=n?Sr:Tn;return Nr(
i,u)&&!u.test(o)&&!f.test(a)&&!u.test(c)}function Nr(e,t){let n=Ar.exec(e);if(!n)return!1;let[,s="",r,i=""]=n;return r!==
void 0&&!kr.test(r)&&!ye(r)?!1:!t.test(s)&&!t.test(i)}function zn(e){return(e===""||e.startsWith("/"))&&!/~(?![01])/.test(
e)}function Ir(e){let t=/^(?:0|[1-9]\d*)/.exec(e)?.[0],n=e.slice(t?.length);return t!==void 0&&(n==="#"||zn(n))}var Tt=new Map(
[["date",Pn],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&Pn(e.slice(0,10))&&Ln(e.slice(11))],["duration",e=>mr.test(e)],["\
email",e=>_n(e)],["hostname",Dn],["idn-email",e=>_n(e,jr)],["ipv4",ge],["ipv6",ye],["iri",e=>Nt(e,!1,!0)],["iri-referenc\
e",e=>Nt(e,!0,!0)],["json-pointer",zn],["regex",jt],["relative-json-pointer",Ir],["time",Ln],["uri",e=>Nt(e,!1,!1)],["ur\
i-reference",e=>Nt(e,!0,!1)],["uri-template",e=>!Or.test(e.replace($r,"-"))],["uuid",e=>yr.test(e)]]);var _t=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],R=e=>new Set(e.split(" ")),Tr=R("const default exampl\
e type"),Rr="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|number float Float \
double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array ArrayList Queue Stac\
k|object dict Dict Object Map HashMap Hashtable|any Any",ct=new Map([["","any"]]);for(let e of Rr.split("|"))for(let t of e.
split(" "))ct.set(t,e.split(" ")[0]);var Pr=new Map([["array","items"],["object","additionalProperties"]]);function d(e){
return e instanceof Map}var Ct=2020,Un=new Map;for(let[e,t]of[[6,"const contains propertyNames"],[7,"else if then"],[2019,
"$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties"],[Ct,"\
$dynamicRef prefixItems"]])for(let n of t.split(" "))Un.set(n,e);function Dt(e,t,n,s){let r=c=>!n||(Un.get(c)??0)<=s,i=new Map(
[...e].filter(([c,u])=>(u!==null||Tr.has(c))&&r(c))),o=e.get("type"),a=typeof o=="string"&&!["any","object"].includes(ct.
get(o)??"any");typeof i.get("required")=="boolean"&&a&&i.delete("required");for(let[c,u]of[["minimum","exclusiveMinimum"],
["maximum","exclusiveMaximum"]]){let f=i.get(u);typeof f=="boolean"&&(i.delete(u),!(!f||!i.has(c))&&(i.set(u,i.get(c)),i.
delete(c)))}return i.has("type")?Lr(i,t,n):i}function Lr(e,t,n){let s=e.get("type"),r=typeof s=="string"&&!ct.has(s)?_r(
s):null;r&&(e=new Map([...r,...e]),s=r.get("type")),ut("type",s,`${t}/type`);let i=[s].flat().map(f=>ct.get(f)),o=i.indexOf(
void 0);if(o>=0)throw new l("E501",`no type has the name ${g([s].flat()[o])}`,{pointer:`${t}/type`});i.includes("any")?e.
delete("type"):e.set("type",i);let a=e.get("enum"),c=e.get("items")??new Map,u=Array.isArray(a)&&a.length>0&&!a.some(Array.
isArray);return i.join()==="array"&&d(c)&&u&&!n&&(e.set("items",new Map([...c,["enum",a]])),e.delete("enum")),e}function _r(e){
let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&t.endsWith("]"),s=n?t.slice(9,-1):
t,r=s.indexOf("["),i=ct.get(r<0?s:s.slice(0,r)),o=Pr.get(i??"");if(i===void 0||r>=0&&!(o&&s.endsWith("]")))return null;let a=new Map(
[["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),f=i==="array"?c:u<0?"":c.slice(u+1);a.set(o,new Map([["typ\
e",f.trim()]]))}return n?a.set("nullable",!0):a}var Cr=R("$defs additionalItems additionalProperties const contains defa\
ult definitions dependencies dependentSchemas else example if items not patternProperties properties propertyNames then \
unevaluatedItems unevaluatedProperties");function Hn(e){let t=r=>d(r)&&typeof r.get("type")=="string";if(e.size===0||![...e.
values()].every(t)||[...e.keys()].some(r=>Cr.has(r)))return e;let s=[...e].filter(([,r])=>!r.has("default")&&!r.get("typ\
e").endsWith("optional"));return new Map([["type","object"],["properties",e],["required",s.map(([r])=>r)]])}var we=e=>typeof e==
"string",xe=e=>typeof e=="boolean",zt=e=>typeof e=="string"&&!q.test(e),Rt=e=>typeof e=="bigint"?wt(e):typeof e=="number"&&
Number.isFinite(e),Dr=e=>w(e)&&Rt(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),be=e=>Array.isArray(e)&&e.every(zt),
zr=e=>Array.isArray(e)&&e.length>0,qn=e=>xe(e)||d(e),Bn=e=>we(e)&&jt(e),qr=e=>d(e)&&[...e.keys()].every(zt),Wn=new Map;for(let[
e,t]of[["$ref format $dynamicRef $recursiveRef",we],["type",n=>we(n)||be(n)],["required",be],["additionalItems",qn],["it\
ems",n=>qn(n)||Array.isArray(n)],["pattern",Bn],["patternProperties",n=>d(n)&&[...n.keys()].every(Bn)],["prefixItems",Array.
isArray],["dependencies dependentSchemas",qr],["properties",d],["enum",Array.isArray],["anyOf oneOf allOf",zr],["minCont\
ains maxContains minItems maxItems minLength maxLength minProperties maxProperties",Dr],["nullable uniqueItems",xe],["mu\
ltipleOf",n=>w(n)&&Rt(n)&&n>0],["dependentRequired",n=>d(n)&&[...n.values()].every(be)],[_t.join(" "),Rt]])for(let n of e.
split(" "))Wn.set(n,t);function ut(e,t,n){if(Wn.get(e)?.(t)===!1)throw new l("E502",`${e} cannot be ${g(t)}`,{pointer:n});
if(e==="properties")for(let s of t.keys())Pt(s,n);if(e==="required"&&Array.isArray(t))for(let s of t)Pt(s,n)}function Pt(e,t){
let n=X.exec(e)?.[0];if(n===void 0)return;let s=n.codePointAt(0).toString(16).toUpperCase().padStart(4,"0");throw new l(
"E502",`${g(e)} cannot be a name: U+${s}`,{pointer:t})}function Se(e){return e===null||xe(e)||zt(e)||Rt(e)}function Lt(e,t=0){
return t>64?!1:d(e)?[...e].every(([n,s])=>zt(n)&&Lt(s,t+1)):Array.isArray(e)?e.every(n=>Lt(n,t+1)):Se(e)}var Br=R("additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluate\
dProperties"),Ur=R("allOf anyOf items oneOf prefixItems"),Hr=R("$defs definitions dependencies dependentSchemas patternP\
roperties properties"),Oe="lton:///";function ft({draft:e}){return e<2019}function qt({draft:e}){return e<6?"id":"$id"}var nt=class e{constructor(t,n){
this.resource=t,this.known=n}static of(t){let n=new $e(t);return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){
return t===this.resource.schema||!t.has(qt(this.resource))?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){
let[s,r]=Jn(this.resource.address,t)??[],i=s===void 0?void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;
throw new l("E504",`no schema here has the name ${JSON.stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=Jr(n);if(s===
"")return{target:t.schema,scope:this.in(t)};if(!s.startsWith("/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,
scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split("/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.
isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=d(r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(
r,t)}return{target:r,scope:this.in(t)}}},$e=class{constructor(t){this.byAddress=new Map,this.bySchema=new Map,this.root=
Fn(t,{address:"",draft:Ct})}resourceOf(t,n){return this.look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),
this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of Wr(this.root))this.byAddress.set(t.address,t),this.bySchema.
set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.root)}}};function Wr(e){let t=[e],n=[[e.schema,e]],s=new Set;
for(;n.length;){let[r,i]=n.pop();if(!d(r)||s.has(r))continue;s.add(r);let o=r.get(qt(i));if(o!=null&&typeof o!="string"&&
qt(i)==="$id")throw Ae();typeof o=="string"&&r!==e.schema&&!(ft(i)&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(
1),r):t.push(i=Fn(r,i)));for(let a of["$anchor","$dynamicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),
a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of Fr(r))n.push([a,i])}return t}function Fn(e,t){let{draft:n}=t,s=d(
e)?e.get("$schema"):void 0;if(typeof s=="string"){let o=/draft-0([0-9])|draft\/([0-9]{4})-/.exec(s);n=o?Number(o[1]??o[2]):
Ct}let r=d(e)?e.get(qt({draft:n})):void 0,i=typeof r=="string"?Jn(t.address,r)?.[0]:"";if(i===void 0)throw Ae();return{address:i,
schema:e,draft:n,anchors:new Map,dynamic:new Map}}function*Fr(e){for(let[t,n]of e)if(Hr.has(t)&&n!==null){if(!d(n))throw Ae();
yield*n.values()}else Ur.has(t)&&Array.isArray(n)?yield*n:Br.has(t)&&(yield n)}function Ae(){return new l("E502","expect\
ed a schema, found something else in a part of it")}function Jn(e,t){let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")
return[e,s];try{let r=new URL(n,e.includes(":")?e:Oe+e).href;return[r.startsWith(Oe)?r.slice(Oe.length):r,s]}catch{return null}}
function Jr(e){try{return decodeURIComponent(e)}catch{return e}}var ke=1e7,Xr=20,Gr=30,Kr=100,Yr=R("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),Wt=class extends Error{};
function Qn(e,t){let n=nt.of(e),s=new Me(t);return r=>{let i=new Ee(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
Wt)return{path:[],problem:`it takes more than ${ke} steps to check the arguments`,code:"E506"};if(o instanceof l||o instanceof
RangeError)return x(`the arguments cannot be checked: ${o.message}`);throw o}}}var Me=class{constructor(t){this.standard=
t,this.plans=new Map,this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=Zr(t,n,this.
standard),i=[...oi].filter(([a])=>r.has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedPr\
operties");s={keywords:r,judges:i,asksForMarks:o,isKept:[...r.keys()].some(a=>Yr.has(a))},this.plans.set(t,s)}return s}matcher(t){
let n=this.matchers.get(t);return n===void 0&&this.matchers.set(t,n=et.of(t)),n}},Ee=class{constructor(t,n,s){this.value=
t,this.known=n,this.formats=s,this.steps=0,this.limit=ke,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=
this.limit)&&(this.limit=ke+Xr*U(this.value),this.steps>this.limit))throw new Wt}}judge(t,n,s,r,i){if(!d(t))return t===!1?
x("nothing is allowed here"):null;this.spend(Kr),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.
plan(t,s.resource),a=i===null&&o.isKept?this.keptOf(t,n):null,c=a?.find(([h])=>h.length===r.length&&h.every((y,O)=>y===r[O]));
if(c)return c[1];this.spend(20*o.judges.length);let u=i??(o.asksForMarks?new Set:null),f=new je(this,o.keywords,s,r,u),p=null;
for(let[[h,y],O]of o.judges)if(h(n)&&(p=y(O,n,f)))break;return a?.push([r,p]),p}keptOf(t,n){let s=this.judged.get(t)??new Map,
r=s.get(n)??[];return s.set(n,r),this.judged.set(t,s),r}},je=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
scope=s,this.around=r,this.marks=i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.
marks&&new Set,r=this.judge(t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.
judge(t,n);return r&&{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.
at(s)}}at(t){return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.
search(n,this.run.spend)??null}};function x(e){return{path:[],problem:e,code:"E214"}}function U(e){let t=Gr;if(typeof e==
"string")t+=$(e);else if(Array.isArray(e))for(let n of e)t+=U(n);else if(typeof e=="object"&&e!==null){let n=e instanceof
Map?e:Object.entries(e);for(let[s,r]of n)t+=$(s)+U(r)}return t}function Y(e){return w(e)?String(H(e)):Array.isArray(e)?`\
[${e.map(Y).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([
n,s])=>`${JSON.stringify(n)}:${Y(s)}`).sort().join()}}`}function Zr(e,t,n){let s=new Map(Dt(e,"",n,t.draft));if(ft(t)&&s.
has("$ref"))return new Map([["$ref",s.get("$ref")]]);Array.isArray(s.get("items"))&&(s.set("prefixItems",s.get("items")),
s.delete("items"),s.has("additionalItems")&&s.set("items",s.get("additionalItems")));for(let[i,o]of s.get("dependencies")??
[]){let a=Array.isArray(o)?"dependentRequired":"dependentSchemas";s.set(a,new Map([...s.get(a)??[],[i,o]]))}for(let[i,o]of s)
ut(i,o,"");let r=s.get("nullable")===!0;return s.delete("nullable"),r?new Map([["anyOf",[s,new Map([["type",["null"]]])]]]):
s}var P=()=>!0,lt=e=>typeof e=="string",F=e=>Array.isArray(e),Vr={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>w(
e)&&bt(e),number:w,string:lt,array:F,object:N};function T(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var Bt=(e,t)=>(n,s)=>t(
s,n)?null:x(`${s} is not ${e} ${String(n)}`),st=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:x(`a size of ${i}, not ${e}\
 ${String(s)}`)},Ut=(e,t)=>e>=t,Ht=(e,t)=>e<=t,Xn=e=>Object.keys(e).length;function Gn(e){if(typeof e=="bigint")return[e,
0];let[t="",n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-
s-1)]}function Qr(e,t){let[[n,s],[r,i]]=[Gn(e),Gn(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}
var Kn=(e,t)=>{let n=e.find(s=>!M(t,s));return n===void 0?null:x(`${g(n)} is missing`)},Yn=(e,t,n,s)=>e===!1?x(`${g(n)} \
is not allowed here`):s.inner(e,t[n],n);function vn(e,t,n,s){let r=new Set(t.filter(Zn).map(u=>u.path[0])),i=t.flatMap((u,f)=>Zn(
u)?[]:[f]),[o]=i;if(o!==void 0&&i.length===1&&r.size===1){let[u]=r;if(vr(e[o],u,s))return t[o]}let a=Math.max(...t.map(u=>u.
path.length)),c=t.filter(u=>u.path.length===a);return c.length===1?c[0]:x(`${g(n)} is allowed by no schema`)}function Zn(e){
return e.isOfList===!0&&e.path.length===1}function vr(e,t,n){let s=d(e)?e.get("$ref"):void 0,r=s===void 0?e:n.lookup(s).
target,i=d(r)?r.get("properties"):null;return d(i)&&i.has(String(t))}function ti(e,t,n){let s=t.flatMap((o,a)=>n.judge(e,
o)?[]:[a]);for(let o of s)n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;
return r<=s.length&&s.length<=i?null:x(`${s.length} items match \`contains\``)}function ei(e,t,n){let{target:s,there:r}=n.
lookup(e),i=e.slice(e.lastIndexOf("#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(
a=>a.dynamic.has(i));s=o.dynamic.get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function ni(e,t,n){let{target:s,there:r}=n.
lookup(e),i=o=>d(o)&&o.get("$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=
o.schema,r=r.at(r.scope.in(o))}return r.beside(s,t)}function si(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)
s.push(i);else if(n.marks===null)return null}return s.length===e.length?vn(e,s,t,n):null}function ri(e,t,n){let s=e.map(
i=>n.beside(i,t)).filter(i=>i!==null),r=e.length-s.length;return r>1?x(`${g(t)} is allowed by ${r} schemas, not by one`):
r?null:vn(e,s,t,n)}function ii(e,t,n){n.run.spend(U(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(e.map(Y))),
s.get(e).has(Y(t))}var oi=new Map([["type",[P,(e,t)=>e.some(n=>Vr[n](t))?null:x(`${g(t)} is not of type ${String(e)}`)]],
["enum",[P,(e,t,n)=>ii(e,t,n)?null:{...x(`${g(t)} is not listed`),isOfList:!0}]],["const",[P,(e,t,n)=>(n.run.spend(U(t)+
U(e)),Y(t)===Y(e)?null:{...x(`${g(t)} is not ${g(e)}`),isOfList:!0})]],["minimum",[w,Bt("at least",Ut)]],["maximum",[w,Bt(
"at most",Ht)]],["exclusiveMinimum",[w,Bt("more than",(e,t)=>e>t)]],["exclusiveMaximum",[w,Bt("less than",(e,t)=>e<t)]],
["multipleOf",[w,(e,t)=>Qr(t,e)?null:x(`${t} is not a multiple of ${String(e)}`)]],["minLength",[lt,st("at least",$,Ut)]],
["maxLength",[lt,st("at most",$,Ht)]],["minItems",[F,st("at least",e=>e.length,Ut)]],["maxItems",[F,st("at most",e=>e.length,
Ht)]],["minProperties",[N,st("at least",Xn,Ut)]],["maxProperties",[N,st("at most",Xn,Ht)]],["pattern",[lt,(e,t,n)=>n.matches(
e,t)===!1?x(`${g(t)} does not match ${g(e)}`):null]],["format",[lt,(e,t,n)=>{let s=n.run.formats?Tt.get(e):void 0;return s&&
n.run.spend(t.length),s?.(t)===!1?x(`${g(t)} is not a ${String(e)}`):null}]],["required",[N,(e,t)=>Kn(e,t)]],["dependent\
Required",[N,(e,t)=>T(e,([n,s])=>M(t,n)?Kn(s,t):null)]],["uniqueItems",[F,(e,t,n)=>(n.run.spend(U(t)),e&&new Set(t.map(Y)).
size<t.length?x("an item is there twice"):null)]],["propertyNames",[N,(e,t,n)=>{let s=T(Object.keys(t),r=>n.judge(e,r));
return s&&{...s,path:[]}}]],["additionalProperties",[N,(e,t,n)=>{let s=n.keywords.get("properties"),r=[...n.keywords.get(
"patternProperties")?.keys()??[]],i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return T(Object.keys(t),o=>i(o)?Yn(e,
t,o,n):null)}]],["prefixItems",[F,(e,t,n)=>T(e.slice(0,t.length).entries(),([s,r])=>n.inner(r,t[s],s))]],["items",[F,(e,t,n)=>{
let s=(n.keywords.get("prefixItems")??[]).length;return T(t.slice(s).entries(),([r,i])=>n.inner(e,i,s+r))}]],["contains",
[F,ti]],["properties",[N,(e,t,n)=>T(Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],["patternProperties",[N,
(e,t,n)=>T(e,([s,r])=>T(Object.keys(t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[P,(e,t,n)=>{let{target:s,there:r}=n.
lookup(e);return r.beside(s,t)}]],["$dynamicRef",[P,ei]],["$recursiveRef",[P,ni]],["allOf",[P,(e,t,n)=>T(e,s=>n.beside(s,
t))]],["anyOf",[P,si]],["oneOf",[P,ri]],["if",[P,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"then")??!0,t)]],
["dependentSchemas",[N,(e,t,n)=>T(e,([s,r])=>M(t,s)?n.beside(r,t):null)]],["not",[P,(e,t,n)=>n.judge(e,t)?null:x(`${g(t)}\
 is what \`not\` excludes`)]],["unevaluatedItems",[F,(e,t,n)=>T(t.entries(),([s,r])=>n.marks.has(s)?null:n.inner(e,r,s))]],
["unevaluatedProperties",[N,(e,t,n)=>T(Object.keys(t),s=>n.marks.has(s)?null:Yn(e,t,s,n))]]]);var ci=["enum","const","anyOf","oneOf","allOf"],ui=["properties","additionalProperties","patternProperties","$ref",...ci],
fi=[...R("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),..._t],li=R("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),hi=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],pi=10;function ns(e,t,n){!n&&d(e)&&(e=
mi(e));let s=new Ne(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new l("E502","expected the schema of an obje\
ct",{pointer:t});return{args:new b(r.params,r.extra),isChecked:s.isChecked,notes:s.notes}}function mi(e){return ui.some(
n=>(e.get(n)??null)!==null)?e:new Map([...e,["properties",new Map]])}var Ne=class{constructor(t,n,s){this.root=n,this.standard=
s,this.isChecked=!1,this.notes={unmatched:[],unsayable:[],defaulted:[]},this.positions=0,this.texts=0,this.repeated=0,this.
steps=0,this.done=new Map,this.open=new Map,this.mentioned=new Map,this.declared=[],this.scope=nt.of(d(t)?t:new Map),this.
open.set(t,1)}count(t){if(this.positions+=t,this.positions+Math.floor(this.repeated/100)>1e5)throw new l("E505",`a schem\
a of more than ${1e5} positions`,{pointer:this.root})}countTexts(t,n){this.texts+=t,n&&(this.repeated+=t),this.count(0)}mention(t,n){
this.mentioned.set(t,[...this.mentioned.get(t)??[],...n])}apart(t){let{mentioned:n,declared:s}=this;this.mentioned=new Map,
this.declared=[];let r={type:t(),mentioned:this.mentioned};return this.mentioned=n,this.declared=s,r}position(t,n,s,r){this.
steps+=1;let{type:i,mentioned:o}=this.apart(()=>this.schema(t,n,s,r));this.steps-=1;let{object:a}=i;if(!a||a.extra!==A&&
!a.branches.length)return i;let u=[...o.keys()].filter(f=>!a.byName.has(f)).map(f=>({name:f,type:B(o.get(f)).type,required:!1,
description:""}));return new S({...i,object:fe(a,u)})}schema(t,n,s,r){if(r>64)throw new l("E301",`nested deeper than ${64}`,
{pointer:n});if(this.count(1),typeof t=="boolean")return t?m:vt;if(!d(t))throw new l("E502",`expected a schema, found ${g(
t)}`,{pointer:n});s=s.inside(t);let i=new Ie(this,Dt(t,n,this.standard,s.resource.draft),n,s,r);i.look();try{let o=i.compile();
return k(o,m)?m:o}catch(o){throw!(o instanceof l)||o.pointer!==void 0?o:new l(o.code,o.problem,{pointer:n})}}},Ie=class{constructor(t,n,s,r,i){
this.run=t,this.keywords=n,this.place=s,this.scope=r,this.depth=i}at(...t){return this.place+Z(t)}inner(t,...n){return this.
run.position(t,this.at(...n),this.scope,this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.
depth+1)}all(t){return(this.keywords.get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??
new Map}look(){for(let[t,n]of this.keywords)ut(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.
match([...n.keys()],t):t==="format"?this.run.isChecked||=!this.run.standard&&Tt.has(n):li.has(t)&&!(t==="uniqueItems"&&n===
!1)&&(this.run.isChecked=!0)}match(t,n){let s=t.map(r=>et.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),
0)/pi)),s.includes(null)?this.run.notes.unmatched.push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,
s=[];if(t.has("$ref")&&(s.push(this.referenced(t.get("$ref"))),ft(this.scope.resource)))return s[0];let r=this.kinds();r&&
s.push(this.byKind(r));let i=n.declared;n.declared=[...i,...s.flatMap(a=>a.object?.byName??[])],t.has("enum")&&s.push(this.
listed("enum",t.get("enum"))),t.has("const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])
t.has(a)&&s.push(this.union(a));s.push(...this.all("allOf")),n.declared=i;let o=at(s);return this.mention(),this.checkHidden(),
t.get("nullable")?B([o,new S({null:!0})]).type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.
scope.lookup(t,s);if(n.open.has(r)){if(n.open.get(r)===n.steps)throw new l("E504","the reference names itself",{pointer:s});
return n.isChecked=!0,m}let o=n.done.get(r);if(o)n.count(o.positions),n.countTexts(o.texts,!0);else{t.startsWith("#/")&&
(s=n.root+t.slice(1));let{positions:a,texts:c}=n;n.open.set(r,n.steps);let u=n.apart(()=>n.schema(r,s,i,this.depth+1));n.
open.delete(r),o={...u,positions:n.positions-a,texts:n.texts-c},n.done.set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);
return o.type}union(t){let n=this.labelled(this.all(t),t),s=$n(n,this.run.declared),r=B(s);return(!r.isExact||s!==n||t===
"oneOf"&&kn(n))&&(this.run.isChecked=!0),r.type}labelled(t,n){let s=this.keywords.get("discriminator"),r=d(s)?s.get("pro\
pertyName"):null;if(!d(s)||typeof r!="string")return t;let i=s.get("mapping"),o=d(i)?i:new Map,a=this.keywords.get(n);return t.
map((c,u)=>gi(c,r,di(a[u],o)))}mention(){let t=[];for(let n of["if","then","else"])this.keywords.has(n)&&t.push(this.beside(
this.keywords.get(n),n));for(let n of["dependentSchemas","dependencies"])for(let[s,r]of this.members(n))Array.isArray(r)||
t.push(this.beside(r,n,s));for(let{object:n}of t)for(let s of n?.params??[])this.run.mention(s.name,[s.type])}checkHidden(){
this.keywords.has("not")&&this.beside(this.keywords.get("not"),"not");for(let t of["contains","propertyNames","unevaluat\
edItems","unevaluatedProperties"])this.keywords.has(t)&&this.inner(this.keywords.get(t),t)}listed(t,n){let s=n.filter(yi);
s.length<n.length&&this.run.notes.unsayable.push(this.at(t));let r=s.filter(u=>typeof u=="object"&&u!==null);r.length&&(this.
run.isChecked=!0);let i=s.filter(u=>typeof u!="object"||u===null),o=i.find(u=>!Se(u));if(o!==void 0)throw new l("E502",`\
a label cannot be ${g(o)}`,{pointer:this.at(t)});let a=i.filter(w),c=i.filter(u=>typeof u=="string");return this.run.countTexts(
c.reduce((u,f)=>u+$(f),9*s.length),!1),new S({null:i.includes(null),booleans:[!1,!0].filter(u=>i.includes(u)),number:a.length?
new I({integer:a.every(u=>typeof u=="bigint"),values:a}):null,string:c.length?new E({values:[...new Set(c)]}):null,array:r.
some(Array.isArray)?m.array:null,object:r.some(d)?m.object:null})}kinds(){let{keywords:t}=this;if(t.has("type"))return t.
get("type");if(!fi.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:hi.find(([s])=>t.has(s));return n?[n[1]]:
["null","boolean","number","string","array","object"]}byKind(t){let n=t.includes("number")||t.includes("integer");return new S(
{null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?this.number(!t.includes("number")):null,string:t.
includes("string")?new E({min:this.size("minLength")??0,max:this.size("maxLength")}):null,array:t.includes("array")?this.
array():null,object:t.includes("object")?this.object():null})}number(t){let n=_t.map(s=>[s,this.keywords.get(s)]);return new I(
{integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.has(t)?Number(this.keywords.get(t)):void 0}array(){let t=this.
keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.isChecked=!0);let s=n?t:this.keywords.get("prefixItems")??[],r=n?
this.keywords.get("additionalItems")??!0:t,i=s.map((a,c)=>this.inner(a,n?"items":"prefixItems",c)),o=this.size("maxItems");
return r===!1&&(o=Math.min(o??1/0,s.length)),(r!==!1||!s.length)&&i.push(this.inner(r,n?"additionalItems":"items")),new C(
B(i).type,this.size("minItems")??0,o)}object(){let t=new Set(this.keywords.get("required")??[]),n=this.members("properti\
es"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),i=s===A?m:s??vt,o=[...t].filter(a=>!n.has(a));return this.
run.count(o.length),new b([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],s)}extra(){let{keywords:t}=this,
n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.members("patternProperties");
for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedProperties")??!1)!==!1;return n===
void 0&&(this.run.standard||i)?m:n===void 0&&!s.length?t.has("properties")?A:m:n===!1&&!r.size?null:B(s).type}param(t,n,s){
let r=this.inner(n,"properties",t),i=d(n)?n:new Map,o=!1,a=i.get("$ref");if(typeof a=="string"&&a&&!i.get("description")){
let{target:h}=this.scope.inside(i).lookup(a,this.at("properties",t,"$ref"));o=d(h),d(h)&&(i=new Map([...h,...i]))}let c=i.
get("default"),u=i.get("description"),f=typeof u=="string"?u:"",p=c!==void 0&&Lt(c)?c:void 0;return s&&p!==void 0&&this.
run.notes.defaulted.push(this.at("properties",t)),this.run.countTexts($(f)+(p===void 0?0:U(p)),o),{name:t,type:r,required:s,
description:f,default:p}}};function di(e,t){let n=d(e)?e.get("$ref"):null;if(typeof n!="string")return[];let s=es(n),r=[
...t].filter(([,i])=>typeof i=="string"&&es(i)===s);return r.length?r.map(([i])=>i):[s]}function es(e){return e.slice(e.
lastIndexOf("/")+1)}function gi(e,t,n){let{object:s}=e,r=s?.byName.get(t);if(!s||!r?.type.string||!r.type.hasLabels&&!n.
length)return e;let i=r.type.hasLabels?r.type:new S({string:new E({values:n})}),o={...r,type:i,required:!0,default:void 0},
a=s.params.map(c=>c===r?o:c);return new S({...e,object:new b(a,s.extra,s.branches,s.label)})}function yi(e){return typeof e!=
"string"||!q.test(e)}var bi=["parameters","input_schema","inputSchema"],wi=["properties","$ref","allOf","anyOf","oneOf"],ss=8,Ft=class e{constructor(t,n=[],s=[],r=[],i=[]){
if(this.tools=t,this.unmatched=n,this.unsayable=s,this.defaulted=r,this.leftOut=i,this.prints=new Map,this.byName=new Map(
t.map(o=>[o.alias||o.name,o])),this.byName.size<t.length||new Set(t.map(o=>o.name)).size<t.length)throw new l("E503","tw\
o tools have one name",{pointer:""})}static from(t,{standard:n=!1,strict:s=!1,toJSONSchema:r}={}){let i=new Map,o=typeof t==
"string"?dt(t):ze(Ue(t,r??null,i)),a=d(o)?o.get("tools")??[o]:o;if(!Array.isArray(a))throw new l("E502",`expected tool d\
efinitions, found ${g(a)}`,{pointer:""});let c={unmatched:[],unsayable:[],defaulted:[]},u=[],f=[];for(let[p,h]of a.entries())
try{if(i.has(p))throw i.get(p);u.push(xi(h,`/${p}`,n,c))}catch(y){if(s||!(y instanceof l))throw y;f.push(y)}if(f.length&&
!u.length)throw f[0];return new e(u,c.unmatched,c.unsayable,c.defaulted,f)}toJSON(){return this.tools.map(({name:t,description:n,
schema:s})=>({name:t,...n&&{description:n},parameters:mt(s)}))}toString(){let t=this.tools.slice(0,ss).map(n=>n.name);return`\
<ToolSet of ${this.tools.length}: ${[...t,...this.tools.length>ss?["\u2026"]:[]].join(", ")}>`}get fingerprint(){return ne(
this.tools)}fingerprintOf(t){let n=this.prints.get(t.name)??ne([t]);return this.prints.set(t.name,n),n}prompt(t={}){return ln(
this.tools,t)}get signatures(){return this.tools.map(t=>ee(t))}};function xi(e,t,n,s){let r=d(e)?e.get("function"):void 0;
if(d(r)&&([e,t]=[r,`${t}/function`]),!d(e))throw new l("E502","expected a tool definition",{pointer:t});let i=!e.has("na\
me")&&wi.some(p=>e.has(p)),o=e.get(i?"title":"name");if(typeof o!="string"||!o)throw new l("E502",`expected the name of \
a tool, found ${g(o)}`,{pointer:t});Pt(o,t);let a=bi.find(p=>(e.get(p)??null)!==null),c=i?e:new Map([["type","object"]]);
!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),!n&&d(c)&&(c=Hn(c));let u=ns(c,t,n);s.unmatched.push(...u.notes.unmatched),s.unsayable.
push(...u.notes.unsayable),s.defaulted.push(...u.notes.defaulted);let f=e.get("description");return{name:o,alias:"",description:typeof f==
"string"?f:"",schema:c,args:u.args,check:u.isChecked?Qn(c,n):null}}function z(e,t,n){return new l(e,t,{path:Z(n)})}function rs(e,t,n=q){if(typeof e=="string"){if(n.test(e))throw z("E401",
"U+0000 or a lone surrogate in a text",t)}else if(typeof e=="bigint"){if(!wt(e))throw z("E302",`an integer of more than ${4096}\
 digits`,t)}else if(typeof e=="number"?!Number.isFinite(e):!Oi(e))throw z("E401",`expected a value of JSON, found ${typeof e==
"number"?e:Object.prototype.toString.call(e).slice(8,-1)}`,t)}function*is(e,t,n=q){for(let[s,r]of e instanceof Map?e:Object.
entries(e)){if(typeof s!="string"||n.test(s))throw z("E401","this cannot be a name",t);r!==void 0&&(yield[s,r])}}function Oi(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}function os(e,t,n,s){if(!e.length||!e.every(Te))return null;let r=e.map(p=>Object.keys(p)),i=r.reduce((p,h)=>p+h.length,
0),o=new Set(r.flat()).size;if(o+(o*e.length-i)>=i)return null;let a=as(e,t,s),c=a.flatMap(p=>p.cells),u=e.map((p,h)=>{let y=c.
map(O=>O[h]);for(;y.at(-1)==="_";)y.pop();return v([...n.slice(h,h+1),...y])}),f=`(${v(a.map(p=>p.head))})`;return s?`${e.
length}${f}
${u.join(`
`)}`:`${f}${u.join(";")}`}function as(e,t,n){let s=t.inner(),r=new Set(e.flatMap(o=>Object.keys(o))),i=(n?[...r]:L(r)).map(
o=>{let a=e.map(u=>M(u,o)?u[o]:void 0);if(s&&$i(a)){let u=as(a,s,n);return{order:2,head:`${_(o)}(${v(u.map(f=>f.head))})`,
cells:u.flatMap(f=>f.cells)}}let c=a.map(u=>u===void 0?"_":t.write(u));return{order:Ai(c.filter((u,f)=>a[f]!==void 0)),head:_(
o),cells:[c]}});return n?i:i.sort((o,a)=>o.order-a.order)}function Te(e){return typeof e=="object"&&e!==null&&!Array.isArray(
e)}function $i(e,t=2){let[n]=e;if(!Te(n))return!1;let s=Object.keys(n);return s.length>=t&&e.every(r=>Te(r)&&Object.keys(
r).length===s.length&&s.every(i=>M(r,i)))}function Ai(e){return e.some(t=>"\"'`[({".includes(t[0]))?2:e.every(t=>"-01234\
56789".includes(t[0]))?0:1}function ki(e){if(typeof e!="object"||e===null)throw new l("E401","expected a call or an answer",{path:""});let{name:t,arguments:n}="\
function"in e?e.function:"input"in e?{name:e.name,arguments:e.input}:e;if(n===void 0)return e;if(typeof n!="string")return{
name:t,arguments:n};let s;try{s=dt(n||"{}")}catch(r){throw new l("E401",`expected JSON as the arguments: ${r.problem}`,{
path:""})}if(!(s instanceof Map))throw new l("E401","expected an object as the arguments",{path:""});return{name:t,arguments:Re(
s)}}function Re(e){if(Array.isArray(e))return e.map(Re);if(!(e instanceof Map))return e;let t=Yt();for(let[n,s]of e)t[n]=
Re(s);return t}function cs(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!Ge.includes(s))throw new l("E401",`no form\
 has the name ${String(s)}`);let i=new Pe(t,s,n),o=null;return[e].flat().map(c=>{let u=ki(c);if(!("arguments"in u))return i.
answer(u);let f=i.call(u,r?null:o);return o=u.name,(r&&s!=="tagged"?Zt:"")+f}).join(`
`)}var Pe=class e{constructor(t,n,s,r=!1){this.tools=t,this.form=n,this.options=s,this.onLines=r,this.isPunctuated=n==="\
punctuated",this.isExact=s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new l(
"E212",`without tools, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=us(t.arguments,i?.args??Ot,
0,[]),a=i?.check?.(o);if(a)throw new l(a.code,a.problem,{path:Z(a.path)});let c=_(i?.alias||t.name)+(this.options.fingerprint&&
s&&i?`#${s.fingerprintOf(i)}`:"");if(r==="tagged")return`${Zt}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,m))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let f=r==="wire"&&t.name===n?"&":c;return u.length?`${f} ${this.row(u)}`:f}answer(t){return(t.
error&&!t.name?Ze:`${t.error?Ye:Ke}${this.answerName(t.name)} `)+new e(null,"wire",this.options,this.options.lines).value(
Le(t.value,m,0,[]),m)}answerName(t){return _(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||
q.test(t))throw new l("E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)
return n;throw new l("E201",`no tool ${J(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):v(t)}members(t,n){
let s=n.branchOf(t),{row:r,keyed:i}=this.form==="wire"?s.arrange(t):{row:[],keyed:s.inOrder(t)},o=r.map(a=>a?this.value(
t[a.name],a.type):"_");for(let a of i)o.push(`${_(a)}=${this.value(t[a],s.typeOf(a)??m)}`);return o}pairs(t,n){let s=Object.
keys(t);return(this.onLines?s:L(s)).map(r=>`${_(r)} ${this.value(t[r],n)}`)}value(t,n){if(typeof t=="string")return ve(t,
n.takesBare(t)&&(n.hasLabels||!this.isPunctuated),this.isPunctuated);if(typeof t=="number")return this.number(t);if(typeof t!=
"object"||t===null)return String(t);if(Array.isArray(t)){let o=n.array?.items??m,a=this.onLines?new e(null,"wire",this.options):
this,c=()=>this.row(t.map(u=>a.value(u,o)));return`[${a.table(t,o,[],this.onLines)??c()}]`}let s=n.object??Ot;if(!s.isMap)
return`(${this.row(this.members(t,s))})`;let r=L(Object.keys(t));return`{${(this.onLines?null:this.table(r.map(o=>t[o]),
s.extra,r.map(_)))??this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(
t,-0)?String(t):G(t)}table(t,n,s=[],r=!1){return this.isPunctuated||!n.object?.isMap?null:os(t,this.cells(n.object.extra),
s,r)}cells(t){return{write:n=>this.value(n,t),inner:()=>t.object?.isMap?this.cells(t.object.extra):null}}groups(t,n){let{
row:s,keyed:r}=n?.arrange(t)??{row:[],keyed:L(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||
!r.length?[`(${i.join(" ")})`]:[];for(let a of r)o.push(`(${Qt(a)} ${this.atom(t[a],n?.typeOf(a)??m)})`);return o.join(`\

`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return tt(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return tt(
"b",String(t));if(typeof t=="bigint")return tt(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return tt(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??m)).join(" ")}]`;let s=(n.
object??Ot).branchOf(t);return`{${s.inOrder(t).map(r=>`${Qt(r)} ${this.atom(t[r],s.typeOf(r)??m)}`).join(" ")}}`}};function Le(e,t,n,s){
rs(e,s);let r=t.refuse(e);if(r)throw z(r[0],`expected ${r[1]}, found ${g(e)}`,s);if(typeof e!="object"||e===null)return e;
if(n>=64)throw z("E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>Le(i,t.array.items,n+1,
[...s,o])):us(e,t.object,n+1,s)}function us(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw z("E401","e\
xpected an object of arguments",s);let r=Yt(),i=t.branchOf(e instanceof Map?Object.fromEntries(e):e);for(let[o,a]of is(e,
s)){let c=i.typeOf(o);if(!c)throw z("E202",`no parameter ${J(o)}`,s);r[o]=Le(a,c,n,[...s,o])}for(let{name:o}of i.needs)if(!M(
r,o))throw z("E205",`${J(o)} is required`,s);return r}return ds(Mi);})();
