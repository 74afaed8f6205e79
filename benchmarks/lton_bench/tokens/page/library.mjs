// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var Jt=Object.defineProperty;var Qn=Object.getOwnPropertyDescriptor;var vn=Object.getOwnPropertyNames;var ts=Object.prototype.hasOwnProperty;var es=(e,t)=>{for(var n in t)Jt(e,n,{get:t[n],enumerable:!0})},ns=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of vn(t))!ts.call(e,r)&&r!==n&&Jt(e,r,{get:()=>t[r],enumerable:!(s=Qn(t,r))||s.enumerable});return e};var ss=e=>ns(Jt({},"__esModule",{value:!0}),e);var ui={};es(ui,{LtonError:()=>h,ToolSet:()=>Wt,encode:()=>Zn,sorted:()=>L});var h=class extends Error{#t;constructor(t,n,{doc:s,start:r=0,firstLine:i=1,...o}={}){let{pos:a,path:c,pointer:u}=o,f=c||
u?`at ${c||u}`:"",m=a===void 0?f:`position ${a}`,l={},y="";if(s!==void 0&&a!==void 0){let x=rs(s,a-r),lt=x.split(`
`),[pt,Pe]=[i+lt.length-1,[...lt.at(-1)].length+1],Le=s.indexOf(`
`,x.length);y=s.slice(x.lastIndexOf(`
`)+1,Le<0?s.length:Le),l={line:pt,column:Pe},m=`line ${pt}, column ${Pe}${f&&`, ${f}`}`}super(`${n}${m?` (${m})`:""} [${t}\
]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,o,l),this.#t=y}picture(t=76){if(this.column===void 0)
return"";let n=[...this.#t].map(is),s=this.column-1,r=Math.max(0,Math.min(s-(t>>1),n.length-t));return`${n.slice(r,r+t).
join("")}
${n.slice(r,s).map(as).join("")}^`}};function rs(e,t){let n=0;for(let s=t;s>0&&n<e.length;s-=1)n+=e.codePointAt(n)>65535?
2:1;return e.slice(0,n)}function is(e){return/^[^\p{C}\p{Z}]$|^[ \t]$/u.test(e)?e:"\uFFFD"}var os=/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
function as(e){return e==="	"?e:/\p{M}/u.test(e)?"":os.test(e)?"  ":" "}function Z(e){let t="";for(let n of e)t+=`/${String(
n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function g(e){let t;return typeof e=="string"?t=W(e.slice(0,41)):
e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an array":"an object",t.length>40?`${t.slice(0,
40)}\u2026`:t}function W(e){return e.includes("'")?JSON.stringify(e):`'${JSON.stringify(e).slice(1,-1).replaceAll('\\"',
'"')}'`}var Gt=1e3,cs=1e5,V=/[ \t\n\r]*/y,_e=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,us=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
fs=/true|false|null/y,hs=new Map([["true",!0],["false",!1],["null",null]]);function dt(e,t=!1){let n=new Kt(e,t),s=n.value(
0);if(n.pos<e.length)throw n.unexpected("the end of the text");return s}var Xt=class{constructor(t){this.text=t,this.pos=
0}skip(t){let n=this.text[this.pos]===t;return this.pos+=Number(n),n}match(t){t.lastIndex=this.pos;let n=t.exec(this.text);
return this.pos+=n?n[0].length:0,n}},Kt=class extends Xt{constructor(t,n){super(t),this.isUnique=n}value(t){if(this.match(
V),t>Gt)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(V),n}unspaced(t){let n=this.match(
_e);if(n)return JSON.parse(n[0]);let s=this.match(us);if(s)return this.number(s);let r=this.match(fs);if(r)return hs.get(
r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a value")}number([
t,n,s]){if(n||s)return Number(t);if(t.length>cs)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(t)}array(t){
let n=[];if(this.match(V),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip("]"))throw this.
unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(V),this.skip("}"))return n;do{this.match(V);let s=this.
match(_e);if(!s)throw this.unexpected("a key in double quotes");if(this.match(V),!this.skip(":"))throw this.unexpected("\
a colon");let r=JSON.parse(s[0]);if(this.isUnique&&n.has(r))throw this.unexpected("a key once");n.set(r,this.value(t))}while(this.
skip(","));if(!this.skip("}"))throw this.unexpected("a comma or }");return n}unexpected(t){let[n=""]=this.text.slice(this.
pos,this.pos+2),s=n?JSON.stringify(n):"the end of the text";return new h("E502",`expected ${t}, found ${s}`,{pos:this.pos})}};
function Ce(e){return De(e,new Map,0)}function De(e,t,n){if(typeof e=="number")return Number.isInteger(e)&&!Object.is(e,
-0)?BigInt(e):e;if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="object")throw new h(
"E502",`a ${typeof e} is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new h("E502","a definition contains i\
tself");return i}if(n>Gt)throw new h("E301",`nested deeper than ${Gt}`);t.set(e,void 0);let s=i=>De(i,t,n+1),r=Array.isArray(
e)?e.map(s):new Map([...ls(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,r),r}function ls(e){return e instanceof
Map?e:Object.entries(e)}function mt(e){return typeof e=="bigint"?Number(e):Array.isArray(e)?e.map(mt):e instanceof Map?Object.
fromEntries([...e].map(([t,n])=>[t,mt(n)])):e}var ps="draft-2020-12",ms={io:"input",typeMode:"input"},bt=["parameters","input_schema","inputSchema"],ds=new Set([...bt,
"name","title","description","function"]),gs={zod:"pass { toJSONSchema: z.toJSONSchema } as the options",valibot:"pass {\
 toJSONSchema: toJsonSchema } of @valibot/to-json-schema as the options"};function Yt(e,t){if(Array.isArray(e))return e.
map((s,r)=>gt(s,`/${r}`,t));if(!Q(e))return e;if(Array.isArray(e.tools))return Yt(e.tools,t);let n=Object.entries(e);return!n.
length||!n.every(([,s])=>ys(s))?gt(e,"/0",t):n.map(([s,r],i)=>gt({...r,name:s},`/${i}`,t))}function ys(e){return Q(e)&&!yt(
e)&&e.name===void 0&&bt.some(t=>Q(e[t])||typeof e[t]=="function")}function gt(e,t,n){if(yt(e))return ze(e,t,n);if(!(Q(e)&&
(qe(e)||Object.values(e).some(i=>typeof i=="function"))))return e;let r={};for(let[i,o]of Object.entries(e))ds.has(i)&&(i===
"function"?r[i]=gt(o,`${t}/${i}`,n):r[i]=bt.includes(i)&&yt(o)?ze(o,`${t}/${i}`,n):o);return r}function qe(e){let t=e.function;
return bt.some(n=>yt(e[n]))||Q(t)&&qe(t)}function Q(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)&&!(e instanceof
Map)}function yt(e){return e===null||typeof e!="object"&&typeof e!="function"||"$schema"in e?!1:"~standard"in e||"jsonSc\
hema"in e&&"validate"in e}function ze(e,t,n){let s=e["~standard"];if(!s)return bs(e,t);try{if(s.jsonSchema)return s.jsonSchema.
input({target:ps});if(n)return n(e,ms)}catch(i){throw new h("E501",`${s.vendor} cannot write this schema as JSON Schema:\
 ${i.message}`,{pointer:t})}let r=gs[s.vendor]??"pass its function as the option toJSONSchema";throw new h("E502",`this \
schema of ${s.vendor} does not write JSON Schema itself: ${r}`,{pointer:t})}function bs({jsonSchema:e},t){if(!Q(e)||typeof e.
then!="function")return e;throw new h("E502","expected a JSON Schema, found a promise: await the schema first",{pointer:t})}var Be=10n**BigInt(4095),q=/[\0\ud800-\udfff]/u,J=/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;
function He(e){return e.replace(/[^]/g,t=>`\\u${t.charCodeAt(0).toString(16).padStart(4,"0")}`)}var ws=/[\ud800-\udfff]/,
xs=/[\ud800-\udbff][\udc00-\udfff]/g;function $(e){return ws.test(e)?e.length-(e.match(xs)?.length??0):e.length}function M(e){
return typeof e=="object"&&e!==null&&!Array.isArray(e)}function b(e){return typeof e=="number"||typeof e=="bigint"}function wt(e){
return typeof e=="bigint"||Number.isInteger(e)}function xt(e){return-Be<e&&e<Be}function G(e){if(typeof e=="number")return Number.
isInteger(e)&&!Number.isSafeInteger(e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(t)?t:e}function Zt(){return Object.
create(null)}var $s=Object.prototype.hasOwnProperty;function E(e,t){return $s.call(e,t)}function L(e){return[...e].sort(
Ss)}function Ss(e,t){let n=Math.min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[e.charCodeAt(s),t.charCodeAt(s)];
if(r!==i)return r>=55296&&i>=55296?Ue(r)-Ue(i):r-i}return e.length-t.length}function Ue(e){return e<57344?e+65536:e}var Fe=["wire","keyed","punctuated","tagged"],Vt="!call ",We="!result ",Je="!error ",Ge="!error: ";var Xe=/^[A-Za-z0-9_./-]+$/,Qt=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,Ke=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/,
Os=/[\n\r]/,As=/`{3,}/g;var ks=['"',"'","`"];function $t(e){return Xe.test(e)}var Ms=/["'`)\]}]$/,Es=/^[A-Za-z]/;function v(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(Ms.test(e[n-
1])&&!Es.test(s)?",":" ")+s}return t}function _(e){return Xe.test(e)?e:St(e)??Ze(e)}function vt(e){return e==="n"||e==="\
_"?`"${e}"`:_(e)}function Ye(e,t,n=!1){return t&&Qt.test(e)?e:St(e)??(n?Ze(e):tt("s",e))}function tt(e,t){return`${e}${$(
t)}:${t}`}function St(e){if(Os.test(e))return null;let t=ks.find(n=>!e.includes(n));return t?t+e+t:null}function Ze(e){let t=2;
for(let[s]of e.matchAll(As))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function X(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var j=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
G)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get noun(){return this.integer?"an integer":
"a number"}refuse(t){if(this.integer&&!wt(t))return["E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.
listed.has(G(t)))return["E204",Qe(this.values.map(X))];let n=this.broken(t);return n?["E208",`${this.noun} of ${n}`]:null}broken(t){
return this.minimum!==void 0&&!(t>=this.minimum)?`at least ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`a\
t most ${this.maximum}`:this.exclusiveMinimum!==void 0&&!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:
this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?`less than ${this.exclusiveMaximum}`:""}},N=class{constructor({
min:t=0,max:n,values:s}={}){this.min=t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=t===0&&n===void 0&&
s===void 0}get noun(){return this.values?Qe(this.values.map(t=>W(t))):"a string"}refuse(t){if(this.isOpen)return null;if(this.
listed&&!this.listed.has(t))return["E204",this.noun];let n=ve($(t),this.min,this.max);return n?["E208",`a string of ${n}\
 characters`]:null}},C=class{constructor(t,n=0,s=void 0){this.items=t,this.min=n,this.max=s}refuse(t){let n=ve(t.length,
this.min,this.max);return n?["E208",`an array of ${n} items`]:null}},A=class{constructor(t=[],n=null){this.extra=n,this.
needs=t.filter(s=>s.required),this.params=[...this.needs,...t.filter(s=>!s.required)],this.byName=new Map(this.params.map(
s=>[s.name,s])),this.isMap=t.length===0&&n!==null}typeOf(t){return this.byName.get(t)?.type??this.extra}inOrder(t){return[
...this.params.map(s=>s.name).filter(s=>E(t,s)),...L(Object.keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.
params.map(o=>E(t,o.name)?o:null);for(;n.length&&n.at(-1)===null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).
length;s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(
o=>!i.has(o))}}},S=class{constructor(t={}){this.null=t.null??!1,this.booleans=t.booleans??[],this.number=t.number??null,
this.string=t.string??null,this.array=t.array??null,this.object=t.object??null,this.isWordy=this.string!==null&&!this.null&&
this.booleans.length===0}get isAny(){let{array:t,number:n,object:s,string:r}=this;if(this===p)return!0;let i=this.null&&
this.booleans.length===2&&r?.isOpen&&n?.isOpen&&!n.integer,o=t?.items===p&&t.min===0&&t.max===void 0;return!!i&&o&&s?.isMap===
!0&&s.extra===p}get hasLabels(){return this.string?.values!==void 0}takesBare(t){return!(this.null&&t==="null"||this.booleans.
length>0&&(t==="true"||t==="false")||this.number!==null&&Ke.test(t))}refuse(t){return typeof t=="string"?this.string?this.
string.refuse(t):this.wrongKind():b(t)?this.number?this.number.refuse(t):this.wrongKind():t===null?this.null?null:this.wrongKind():
typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():Array.isArray(t)?this.array?this.array.refuse(t):this.
wrongKind():this.object?null:this.wrongKind()}wrongKind(){return["E203",this.noun]}get noun(){return[this.string?.noun,this.
number?.noun,this.array&&"an array",this.object&&"an object",this.booleans.join(" or "),this.null&&"null"].filter(Boolean).
join(" or ")||"nothing"}};function js(){let e=new S({null:!0,booleans:[!1,!0],number:new j({integer:!1}),string:new N});
return Object.assign(e,{array:new C(e),object:new A([],e)})}var p=js(),Ot=p.object,O=new S({...p}),te=new S,Ve=8;function Qe(e){
if(e.length===1)return e[0];let t=e.length>Ve?`, \u2026 (${e.length} in all)`:"";return`one of ${e.slice(0,Ve).join(", ")}${t}`}
function ve(e,t,n){return e<t?`at least ${t}`:n!==void 0&&e>n?`at most ${n}`:""}function I(e,t){return e===t||e.null===t.null&&tn(e.booleans,t.booleans)&&H(e.number,t.number)&&H(e.string,t.string)&&H(
e.array,t.array)&&H(e.object,t.object)}function H(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof A&&
t instanceof A)return Ns(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max"].every(r=>n[r]==s[r])&&tn(e.values,t.values)&&(!(e instanceof C)||I(e.items,t.items))}function Ns(e,t){if(e.
params.length!==t.params.length||e.extra===null!=(t.extra===null))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.
required&&I(s.type,r.type);return e.params.every((s,r)=>n(s,t.params[r]))&&(e.extra===null||I(e.extra,t.extra))}function tn(e,t){
return e===t||e!==void 0&&t!==void 0&&e.length===t.length&&e.every((n,s)=>n==t[s])}var rt=[];for(let e=2;rt.length<64;e+=1)rt.every(t=>e%t)&&rt.push(e);var en=e=>e%1*2**32|0,Is=rt.slice(0,8).map(e=>en(Math.
sqrt(e))),Ts=rt.map(e=>en(Math.cbrt(e))),D=(e,t)=>e>>>t|e<<32-t;function nn(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...Is],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)Rs(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function Rs(e,t,n,s){for(let l=0;l<64;l+=1)if(l<16)n[l]=e.getInt32(
t+4*l);else{let[y,x]=[n[l-15],n[l-2]],lt=D(y,7)^D(y,18)^y>>>3,pt=D(x,17)^D(x,19)^x>>>10;n[l]=n[l-16]+lt+n[l-7]+pt}let[r,
i,o,a,c,u,f,m]=s;for(let l=0;l<64;l+=1){let y=m+(D(c,6)^D(c,11)^D(c,25))+(c&u^~c&f)+Ts[l]+n[l]|0,x=(D(r,2)^D(r,13)^D(r,22))+
(r&i^r&o^i&o)|0;[m,f,u,c,a,o,i,r]=[f,u,c,a+y|0,o,i,r,y+x|0]}[r,i,o,a,c,u,f,m].forEach((l,y)=>s[y]=s[y]+l|0)}var Ps=new Set(["any","bool","false","int","never","null","num","str","true"]),At="...",Ls="str|num|bool|[any]|{any}|nul\
l";function ne(e,t=!0){return re(e)+new ot(t).members(e.args)}function se(e){let t=e.map(n=>ne(n,!1)).map(n=>[[...n].map(
s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>_s(n,s)),nn(t.map(([,n])=>n).join(`
`)).slice(0,8)}function _s(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function re(e){
return e.alias?`${it(e.alias)}=${it(e.name)}`:it(e.name)}function kt(e){return e===At?`"${e}"`:it(e)}function it(e){return $t(
e)?e:ie(e)}function ie(e){return(J.test(e)?null:St(e))??`@${JSON.stringify(e).replace(new RegExp(J,"gu"),He)}`}function sn(e){
return Qt.test(e)&&p.takesBare(e)?e:ie(e)}var ot=class{constructor(t=!0){this.defaults=t}members(t){return`(${this.parts(
t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(s),s]);return t.extra?[...n,[`${At}:${this.type(
t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=kt(t.name)+(t.required?"":"?")+(n==="str"?"":`:${n}`);return this.
defaults&&!t.required&&t.default!==void 0&&t.default!==null?`${s}=${ee(t.default)}`:s}type(t){if(I(t,p))return"any";let{
string:n,number:s,booleans:r,array:i,object:o}=t,a=[];n&&a.push(...n.values?n.values.map(Cs):["str"]),s&&a.push(...s.values?
s.values.map(X):[s.integer?"int":"num"]),r.length&&a.push(r.length>1?"bool":String(r[0])),i&&a.push(`[${this.type(i.items)}\
]`),o&&a.push(o.isMap?`{${this.type(o.extra)}}`:this.object(o)),t.null&&a.push("null");let c=a.join("|")||"never";return c===
Ls?"any":c}object(t){return this.members(t)}};function Cs(e){return Ps.has(e)||e.startsWith("@")?ie(e):sn(e)}function ee(e){
return typeof e=="string"?sn(e):b(e)?X(e):Array.isArray(e)?`[${e.map(ee).join(" ")}]`:e instanceof Map?`{${[...e].map(([
t,n])=>`${it(t)} ${ee(n)}`).join(" ")}}`:String(e)}var Ds=20,zs=/[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,qs=new RegExp(J,"gu"),oe="Tools: \
name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default; a|b is \
a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",Bs={wire:`${oe} its name and the val\
ues in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key\
 value}; _ for what you leave out, or name=value.`,keyed:`${oe} its name, then name=value for each, with spaces between;\
 "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${oe} name(par\
ameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function on(e,{descriptions:t=!0,
primer:n}={}){let s=new ae(t),r=[...s.define(e.map(o=>o.args)),...e.map(o=>s.tool(o))],i=n&&Bs[n];return[...i?[i]:[],...r].
join(`
`)}var ae=class e extends ot{constructor(t){super(),this.descriptions=t,this.names=new Map}tool(t){let n=re(t);if(!this.
descriptions)return n+this.members(t.args);let s=[rn(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${rn(r,
i?.description??"")}`),i&&s.push(...this.inside(i.type,kt(i.name)));return s.join(`
`)}define(t){let n=t.flatMap(o=>[...an(o,"")]).map(([o,a])=>({name:o,node:a,text:this.text(a)})),s=new Map;for(let{text:o}of n)
s.set(o,(s.get(o)??0)+1);let r=new Set,i=[];for(let{name:o,node:a,text:c}of n){if(s.get(c)<2||[...c].length<Ds||this.names.
has(c))continue;let u=this.members(a),f=$t(o)?o:"object",m=f;for(let l=2;r.has(m);l+=1)m=`${f}${l}`;r.add(m),this.names.
set(c,`@${m}`),i.push([`@${m}=${u}`,...this.descriptions?this.about(a,""):[]].join(`
`))}return i}object(t){return this.names.size&&this.names.get(this.text(t))||super.object(t)}text(t){let n=new e(!0);return[
n.members(t),...this.descriptions?n.about(t,""):[]].join(`
`)}inside(t,n){if(t===p)return[];let s=t.array?this.inside(t.array.items,n):[],{object:r}=t;return r&&!(this.names.size&&
this.names.has(this.text(r)))&&s.push(...this.about(r,`${n}.`)),s}about(t,n){let s=t.params.flatMap(r=>{let i=n+kt(r.name),
o=cn(r.description);return[...o?[`  ${i} ${o}`]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.inside(t.extra,
n+At)]:s}};function*an(e,t){for(let n of e.params)yield*ce(n.type,n.name);e.extra&&(yield*ce(e.extra,t))}function*ce(e,t){
e!==p&&(e.array&&(yield*ce(e.array.items,t)),e.object&&(yield*an(e.object,t),e.object.params.length&&(yield[t,e.object])))}
function rn(e,t){let n=cn(t);return n?`${e} ${n}`:e}function cn(e){return e.split(zs).filter(Boolean).join(" ").replace(
qs,"\uFFFD")}var un=1e6;function B(e){if(e.some(r=>I(r,p)))return{type:p,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(u=>u!==null);if(o.
every(u=>H(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>H(u,a)),a};return{type:new S({null:e.some(r=>r.
null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),Us),string:n(e.map(r=>r.
string),Hs),array:n(e.map(r=>r.array),Fs),object:n(e.map(r=>r.object),Ws)}),isExact:t}}function Us(e){let t=e.every(i=>i.
integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[G(o),o]));return[new j({integer:t,
values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new j({integer:t}),!1];let n=i=>{let o=e.map(a=>a[i]);
return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?fn:hn)},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n(
"exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new j({integer:t,...s,...r}),!1]}var fn=(e,t)=>t<e?t:
e,hn=(e,t)=>t>e?t:e;function Hs(e){return e.every(t=>t.values)?[new N({values:[...new Set(e.flatMap(t=>t.values))]}),!0]:
e.some(t=>t.values)?[new N,!1]:[new N({min:Math.min(...e.map(t=>t.min)),max:ln(e)}),!1]}function Fs(e){let t=B(e.map(n=>n.
items)).type;return[new C(t,Math.min(...e.map(n=>n.min)),ln(e)),!1]}function ln(e){let t=e.map(n=>n.max);return t.includes(
void 0)?void 0:Math.max(...t)}function pn(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):
void 0}function mn(e,t){let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);if(n.size*
t.length>un)throw new h("E505",`objects combine to over ${un} members`);return n}function Ws(e){let t=e.filter(r=>r.extra!==
null&&r.extra!==O),n=[...mn(e,t)].map(([r,i])=>{let o=t.filter(c=>!c.byName.has(r)).map(c=>c.extra),a=B([...i.map(c=>c.type),
...o]).type;return{...i[0],type:a,required:i.length===e.length&&i.every(c=>c.required)}}),s=null;return t.length?s=B(t.map(
r=>r.extra)).type:e.some(r=>r.extra===O)&&(s=O),[new A(n,s),!1]}function dn(e,t){let n=e.map(o=>o.object).filter(o=>o?.extra===
O),s=new Map;for(let o of n)for(let a of o.byName.keys())s.set(a,(s.get(a)??0)+1);let r=([o,a])=>a<n.length&&t.some(c=>c.
has(o)),i=new Set([...s].filter(r).map(([o])=>o));return i.size?e.map(o=>o.object?.extra!==O?o:new S({...o,object:new A(
o.object.params.filter(a=>!i.has(a.name)),O)})):e}function gn(e){let t=r=>e.filter(r).length,n=e.flatMap(r=>r.booleans),
s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.length>1&&(i.some(a=>!a.values)||new Set(o.map(String)).
size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||s(e.map(r=>r.number))||s(e.map(r=>r.string))||t(r=>r.array)>
1||t(r=>r.object)>1}function at(e){let t=e.filter(s=>!I(s,p));if(t.length<2)return t[0]??p;let n=(s,r)=>{let i=s.filter(
o=>o!==null);return i.length<s.length?null:i.every(o=>H(o,i[0]))?i[0]:r(i)};return new S({null:t.every(s=>s.null),booleans:[
!1,!0].filter(s=>t.every(r=>r.booleans.includes(s))),number:n(t.map(s=>s.number),Js),string:n(t.map(s=>s.string),Gs),array:n(
t.map(s=>s.array),Xs),object:n(t.map(s=>s.object),Ks)})}function Js(e){let t=e.some(c=>c.integer),n=c=>{let u=e.map(f=>f[c]).
filter(f=>f!==void 0);return u.length?u.reduce(/min/i.test(c)?hn:fn):void 0},s={minimum:n("minimum"),maximum:n("maximum")},
r={exclusiveMinimum:n("exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")},i=new j({integer:t,...s,...r}),o=e.filter(
c=>c.values);if(!o.length)return i;let a=o[0].values.filter(c=>[i,...o].every(u=>u.refuse(c)===null));return a.length?new j(
{integer:t,values:a}):null}function Gs(e){let t=new N({min:Math.max(...e.map(r=>r.min)),max:pn(e)}),n=e.filter(r=>r.values);
if(!n.length)return t;let s=n[0].values.filter(r=>[t,...n].every(i=>i.refuse(r)===null));return s.length?new N({values:s}):
null}function Xs(e){let t=at(e.map(n=>n.items));return new C(t,Math.max(...e.map(n=>n.min)),pn(e))}function Ks(e){let t=e.
filter(s=>s.extra!==O&&!(s.extra&&I(s.extra,p))),n=[];for(let[s,r]of mn(e,t)){let i=r.some(u=>u.required),o=t.filter(u=>!u.
byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}let a=at([...r.map(u=>u.type),...o]),c=r.find(
u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}return new A(n,Ys(e.map(s=>s.extra)))}function Ys(e){
if(e.includes(null))return null;let t=e.filter(s=>s!==O);return t.length<e.length&&t.every(s=>I(s,p))?O:at(t)}var k=class extends Error{};function jt(e){return ue(e,"u")||ue(e,"")}function ue(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var Zs=`
\r\u2028\u2029`,yn={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},bn=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),fe=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new k;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!Zs.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new k;t=this.choice()}
if(!this.skip(")"))throw new k;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>bn(
r[i-1])!==bn(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new k;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new k;
if("dDwWsS".includes(t))return wn(`\\${t}`);if(t in yn)return yn[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new k;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new k;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!ue(r,"u"))throw new k;return this.pos+=s[0].length,wn(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new k;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new k;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function wn(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function Mt(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+Mt(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+Mt(e.part);if(e.kind!=="repeat")return 1;let t=Mt(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function Et(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+Et(n),0):e.kind==="any"?Math.min(...e.parts.map(Et)):e.kind==="repeat"?e.low*Et(e.part):0}var et=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new fe(t).pattern(),s=Mt(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
k||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?Et(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new he(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},he=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var Vs=/^(\d{4})-(\d\d)-(\d\d)$/,Qs=1440,vs=/^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/i,
tr=/^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
xn=String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`,er=new RegExp(String.
raw`^(?:${xn}(?:\.${xn})*|"[^"\r\n]*")@([^]+)$`),nr=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,sr=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
rr=/^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u,ir=/^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,
le=String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef`+Array.from({length:13},(e,t)=>(t+1).toString(16)).map(e=>String.raw`\u{${e}0000}-\u{${e}fffd}`).
join("")+String.raw`\u{e1000}-\u{efffd}`,Mn=String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;function It(e){
return new RegExp(String.raw`[^%${e}]|%(?![\da-fA-F]{2})`,"u")}var pe=String.raw`\w.~!$&'()*+,;=:@\/?\-`,$n=It(pe),or=It(
pe+le),ar=It(pe+le+Mn),cr=It(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-`+le+Mn),Sn=String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`,
ur=new RegExp(String.raw`\{[+#./;?&=,!@|]?${Sn}(?:,${Sn})*\}`,"gi"),fr=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,
hr=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,lr=/^(?:0|[1-9]\d{0,2})$/,pr=/^[\da-f]{1,4}$/i;function On(e){let[,t,n,s]=Vs.exec(
e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,
31,30,31,30,31][n-1]}function An(e){let[t,n,s,r,i,...o]=vs.exec(e)??[];if(t===void 0)return!1;if(r!=="60")return!0;let a=i?
+`${i}1`*(Number(o[0])*60+Number(o[1])):0;return(Number(n)*60+Number(s)-a+1)%Qs===0}function kn(e,t=En){let n=er.exec(e)?.[1]??
"",s=/^\[([^]*)\]$/.exec(n)?.[1];return s===void 0?t(n)&&!n.endsWith("."):s.startsWith("IPv6:")?de(s.slice(5)):me(s)}function En(e){
let t=e.replace(/\.$/,"");return t.length<=253&&t.split(".").every(n=>nr.test(n))}function mr(e){let t=n=>$(n)<=63&&rr.test(
n)&&!/^-|-$/.test(n);return $(e)<=253&&e.split(".").every(t)}function me(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>lr.test(n)&&Number(n)<256)}function de(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!me(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>pr.test(o))&&(t.length===2?i<8:i===8)}function Nt(e,t,n){let s=ir.exec(e);if(!s)return!1;
let[,r,i="",o="",a="",c=""]=s;if(r===void 0&&(!t||o.split("/",1)[0].includes(":")))return!1;let u=n?or:$n,f=n?ar:$n;return dr(
i,u)&&!u.test(o)&&!f.test(a)&&!u.test(c)}function dr(e,t){let n=fr.exec(e);if(!n)return!1;let[,s="",r,i=""]=n;return r!==
void 0&&!hr.test(r)&&!de(r)?!1:!t.test(s)&&!t.test(i)}function jn(e){return(e===""||e.startsWith("/"))&&!/~(?![01])/.test(
e)}function gr(e){let t=/^(?:0|[1-9]\d*)/.exec(e)?.[0],n=e.slice(t?.length);return t!==void 0&&(n==="#"||jn(n))}var Tt=new Map(
[["date",On],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&On(e.slice(0,10))&&An(e.slice(11))],["duration",e=>tr.test(e)],["\
email",e=>kn(e)],["hostname",En],["idn-email",e=>kn(e,mr)],["ipv4",me],["ipv6",de],["iri",e=>Nt(e,!1,!0)],["iri-referenc\
e",e=>Nt(e,!0,!0)],["json-pointer",jn],["regex",jt],["relative-json-pointer",gr],["time",An],["uri",e=>Nt(e,!1,!1)],["ur\
i-reference",e=>Nt(e,!0,!1)],["uri-template",e=>!cr.test(e.replace(ur,"-"))],["uuid",e=>sr.test(e)]]);var _t=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],R=e=>new Set(e.split(" ")),yr=R("const default exampl\
e type"),br="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|number float Float \
double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array ArrayList Queue Stac\
k|object dict Dict Object Map HashMap Hashtable|any Any",ct=new Map([["","any"]]);for(let e of br.split("|"))for(let t of e.
split(" "))ct.set(t,e.split(" ")[0]);var wr=new Map([["array","items"],["object","additionalProperties"]]);function d(e){
return e instanceof Map}var Ct=2020,Tn=new Map;for(let[e,t]of[[6,"const contains propertyNames"],[7,"else if then"],[2019,
"$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties"],[Ct,"\
$dynamicRef prefixItems"]])for(let n of t.split(" "))Tn.set(n,e);function Dt(e,t,n,s){let r=c=>!n||(Tn.get(c)??0)<=s,i=new Map(
[...e].filter(([c,u])=>(u!==null||yr.has(c))&&r(c))),o=e.get("type"),a=typeof o=="string"&&!["any","object"].includes(ct.
get(o)??"any");typeof i.get("required")=="boolean"&&a&&i.delete("required");for(let[c,u]of[["minimum","exclusiveMinimum"],
["maximum","exclusiveMaximum"]]){let f=i.get(u);typeof f=="boolean"&&(i.delete(u),!(!f||!i.has(c))&&(i.set(u,i.get(c)),i.
delete(c)))}return i.has("type")?xr(i,t,n):i}function xr(e,t,n){let s=e.get("type"),r=typeof s=="string"&&!ct.has(s)?$r(
s):null;r&&(e=new Map([...r,...e]),s=r.get("type")),ut("type",s,`${t}/type`);let i=[s].flat().map(f=>ct.get(f)),o=i.indexOf(
void 0);if(o>=0)throw new h("E501",`no type has the name ${g([s].flat()[o])}`,{pointer:`${t}/type`});i.includes("any")?e.
delete("type"):e.set("type",i);let a=e.get("enum"),c=e.get("items")??new Map,u=Array.isArray(a)&&a.length>0&&!a.some(Array.
isArray);return i.join()==="array"&&d(c)&&u&&!n&&(e.set("items",new Map([...c,["enum",a]])),e.delete("enum")),e}function $r(e){
let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&t.endsWith("]"),s=n?t.slice(9,-1):
t,r=s.indexOf("["),i=ct.get(r<0?s:s.slice(0,r)),o=wr.get(i??"");if(i===void 0||r>=0&&!(o&&s.endsWith("]")))return null;let a=new Map(
[["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),f=i==="array"?c:u<0?"":c.slice(u+1);a.set(o,new Map([["typ\
e",f.trim()]]))}return n?a.set("nullable",!0):a}var Sr=R("$defs additionalItems additionalProperties const contains defa\
ult definitions dependencies dependentSchemas else example if items not patternProperties properties propertyNames then \
unevaluatedItems unevaluatedProperties");function Rn(e){let t=r=>d(r)&&typeof r.get("type")=="string";if(e.size===0||![...e.
values()].every(t)||[...e.keys()].some(r=>Sr.has(r)))return e;let s=[...e].filter(([,r])=>!r.has("default")&&!r.get("typ\
e").endsWith("optional"));return new Map([["type","object"],["properties",e],["required",s.map(([r])=>r)]])}var ye=e=>typeof e==
"string",be=e=>typeof e=="boolean",zt=e=>typeof e=="string"&&!q.test(e),Rt=e=>typeof e=="bigint"?xt(e):typeof e=="number"&&
Number.isFinite(e),Or=e=>b(e)&&Rt(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),ge=e=>Array.isArray(e)&&e.every(zt),
Ar=e=>Array.isArray(e)&&e.length>0,Nn=e=>be(e)||d(e),In=e=>ye(e)&&jt(e),kr=e=>d(e)&&[...e.keys()].every(zt),Pn=new Map;for(let[
e,t]of[["$ref format $dynamicRef $recursiveRef",ye],["type",n=>ye(n)||ge(n)],["required",ge],["additionalItems",Nn],["it\
ems",n=>Nn(n)||Array.isArray(n)],["pattern",In],["patternProperties",n=>d(n)&&[...n.keys()].every(In)],["prefixItems",Array.
isArray],["dependencies dependentSchemas",kr],["properties",d],["enum",Array.isArray],["anyOf oneOf allOf",Ar],["minCont\
ains maxContains minItems maxItems minLength maxLength minProperties maxProperties",Or],["nullable uniqueItems",be],["mu\
ltipleOf",n=>b(n)&&Rt(n)&&n>0],["dependentRequired",n=>d(n)&&[...n.values()].every(ge)],[_t.join(" "),Rt]])for(let n of e.
split(" "))Pn.set(n,t);function ut(e,t,n){if(Pn.get(e)?.(t)===!1)throw new h("E502",`${e} cannot be ${g(t)}`,{pointer:n});
if(e==="properties")for(let s of t.keys())Pt(s,n);if(e==="required"&&Array.isArray(t))for(let s of t)Pt(s,n)}function Pt(e,t){
let n=J.exec(e)?.[0];if(n===void 0)return;let s=n.codePointAt(0).toString(16).toUpperCase().padStart(4,"0");throw new h(
"E502",`${g(e)} cannot be a name: U+${s}`,{pointer:t})}function we(e){return e===null||be(e)||zt(e)||Rt(e)}function Lt(e,t=0){
return t>64?!1:d(e)?[...e].every(([n,s])=>zt(n)&&Lt(s,t+1)):Array.isArray(e)?e.every(n=>Lt(n,t+1)):we(e)}var Mr=R("additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluate\
dProperties"),Er=R("allOf anyOf items oneOf prefixItems"),jr=R("$defs definitions dependencies dependentSchemas patternP\
roperties properties"),xe="lton:///";function ft({draft:e}){return e<2019}function qt({draft:e}){return e<6?"id":"$id"}var nt=class e{constructor(t,n){
this.resource=t,this.known=n}static of(t){let n=new $e(t);return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){
return t===this.resource.schema||!t.has(qt(this.resource))?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){
let[s,r]=_n(this.resource.address,t)??[],i=s===void 0?void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;
throw new h("E504",`no schema here has the name ${JSON.stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=Tr(n);if(s===
"")return{target:t.schema,scope:this.in(t)};if(!s.startsWith("/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,
scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split("/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.
isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=d(r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(
r,t)}return{target:r,scope:this.in(t)}}},$e=class{constructor(t){this.byAddress=new Map,this.bySchema=new Map,this.root=
Ln(t,{address:"",draft:Ct})}resourceOf(t,n){return this.look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),
this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of Nr(this.root))this.byAddress.set(t.address,t),this.bySchema.
set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.root)}}};function Nr(e){let t=[e],n=[[e.schema,e]],s=new Set;
for(;n.length;){let[r,i]=n.pop();if(!d(r)||s.has(r))continue;s.add(r);let o=r.get(qt(i));if(o!=null&&typeof o!="string"&&
qt(i)==="$id")throw Se();typeof o=="string"&&r!==e.schema&&!(ft(i)&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(
1),r):t.push(i=Ln(r,i)));for(let a of["$anchor","$dynamicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),
a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of Ir(r))n.push([a,i])}return t}function Ln(e,t){let{draft:n}=t,s=d(
e)?e.get("$schema"):void 0;if(typeof s=="string"){let o=/draft-0([0-9])|draft\/([0-9]{4})-/.exec(s);n=o?Number(o[1]??o[2]):
Ct}let r=d(e)?e.get(qt({draft:n})):void 0,i=typeof r=="string"?_n(t.address,r)?.[0]:"";if(i===void 0)throw Se();return{address:i,
schema:e,draft:n,anchors:new Map,dynamic:new Map}}function*Ir(e){for(let[t,n]of e)if(jr.has(t)&&n!==null){if(!d(n))throw Se();
yield*n.values()}else Er.has(t)&&Array.isArray(n)?yield*n:Mr.has(t)&&(yield n)}function Se(){return new h("E502","expect\
ed a schema, found something else in a part of it")}function _n(e,t){let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")
return[e,s];try{let r=new URL(n,e.includes(":")?e:xe+e).href;return[r.startsWith(xe)?r.slice(xe.length):r,s]}catch{return null}}
function Tr(e){try{return decodeURIComponent(e)}catch{return e}}var Oe=1e7,Rr=20,Pr=30,Lr=100,_r=R("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),Ft=class extends Error{};
function Un(e,t){let n=nt.of(e),s=new Ae(t);return r=>{let i=new ke(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
Ft)return{path:[],problem:`it takes more than ${Oe} steps to check the arguments`,code:"E506"};if(o instanceof h||o instanceof
RangeError)return w(`the arguments cannot be checked: ${o.message}`);throw o}}}var Ae=class{constructor(t){this.standard=
t,this.plans=new Map,this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=Cr(t,n,this.
standard),i=[...Jr].filter(([a])=>r.has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedPr\
operties");s={keywords:r,judges:i,asksForMarks:o,isKept:[...r.keys()].some(a=>_r.has(a))},this.plans.set(t,s)}return s}matcher(t){
let n=this.matchers.get(t);return n===void 0&&this.matchers.set(t,n=et.of(t)),n}},ke=class{constructor(t,n,s){this.value=
t,this.known=n,this.formats=s,this.steps=0,this.limit=Oe,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=
this.limit)&&(this.limit=Oe+Rr*U(this.value),this.steps>this.limit))throw new Ft}}judge(t,n,s,r,i){if(!d(t))return t===!1?
w("nothing is allowed here"):null;this.spend(Lr),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.
plan(t,s.resource),a=i===null&&o.isKept?this.keptOf(t,n):null,c=a?.find(([l])=>l.length===r.length&&l.every((y,x)=>y===r[x]));
if(c)return c[1];this.spend(20*o.judges.length);let u=i??(o.asksForMarks?new Set:null),f=new Me(this,o.keywords,s,r,u),m=null;
for(let[[l,y],x]of o.judges)if(l(n)&&(m=y(x,n,f)))break;return a?.push([r,m]),m}keptOf(t,n){let s=this.judged.get(t)??new Map,
r=s.get(n)??[];return s.set(n,r),this.judged.set(t,s),r}},Me=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
scope=s,this.around=r,this.marks=i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.
marks&&new Set,r=this.judge(t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.
judge(t,n);return r&&{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.
at(s)}}at(t){return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.
search(n,this.run.spend)??null}};function w(e){return{path:[],problem:e,code:"E214"}}function U(e){let t=Pr;if(typeof e==
"string")t+=$(e);else if(Array.isArray(e))for(let n of e)t+=U(n);else if(typeof e=="object"&&e!==null){let n=e instanceof
Map?e:Object.entries(e);for(let[s,r]of n)t+=$(s)+U(r)}return t}function Y(e){return b(e)?String(G(e)):Array.isArray(e)?`\
[${e.map(Y).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([
n,s])=>`${JSON.stringify(n)}:${Y(s)}`).sort().join()}}`}function Cr(e,t,n){let s=new Map(Dt(e,"",n,t.draft));if(ft(t)&&s.
has("$ref"))return new Map([["$ref",s.get("$ref")]]);Array.isArray(s.get("items"))&&(s.set("prefixItems",s.get("items")),
s.delete("items"),s.has("additionalItems")&&s.set("items",s.get("additionalItems")));for(let[i,o]of s.get("dependencies")??
[]){let a=Array.isArray(o)?"dependentRequired":"dependentSchemas";s.set(a,new Map([...s.get(a)??[],[i,o]]))}for(let[i,o]of s)
ut(i,o,"");let r=s.get("nullable")===!0;return s.delete("nullable"),r?new Map([["anyOf",[s,new Map([["type",["null"]]])]]]):
s}var P=()=>!0,ht=e=>typeof e=="string",F=e=>Array.isArray(e),Dr={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>b(
e)&&wt(e),number:b,string:ht,array:F,object:M};function T(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var Bt=(e,t)=>(n,s)=>t(
s,n)?null:w(`${s} is not ${e} ${String(n)}`),st=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:w(`a size of ${i}, not ${e}\
 ${String(s)}`)},Ut=(e,t)=>e>=t,Ht=(e,t)=>e<=t,Cn=e=>Object.keys(e).length;function Dn(e){if(typeof e=="bigint")return[e,
0];let[t="",n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-
s-1)]}function zr(e,t){let[[n,s],[r,i]]=[Dn(e),Dn(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}
var zn=(e,t)=>{let n=e.find(s=>!E(t,s));return n===void 0?null:w(`${g(n)} is missing`)},qn=(e,t,n,s)=>e===!1?w(`${g(n)} \
is not allowed here`):s.inner(e,t[n],n);function Hn(e,t){let n=Math.max(...e.map(r=>r.path.length)),s=e.filter(r=>r.path.
length===n);return s.length===1?s[0]:w(`${g(t)} is allowed by no schema`)}function qr(e,t,n){let s=t.flatMap((o,a)=>n.judge(
e,o)?[]:[a]);for(let o of s)n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;
return r<=s.length&&s.length<=i?null:w(`${s.length} items match \`contains\``)}function Br(e,t,n){let{target:s,there:r}=n.
lookup(e),i=e.slice(e.lastIndexOf("#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(
a=>a.dynamic.has(i));s=o.dynamic.get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function Ur(e,t,n){let{target:s,there:r}=n.
lookup(e),i=o=>d(o)&&o.get("$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=
o.schema,r=r.at(r.scope.in(o))}return r.beside(s,t)}function Hr(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)
s.push(i);else if(n.marks===null)return null}return s.length===e.length?Hn(s,t):null}function Fr(e,t,n){let s=e.map(i=>n.
beside(i,t)).filter(i=>i!==null),r=e.length-s.length;return r>1?w(`${g(t)} is allowed by ${r} schemas, not by one`):r?null:
Hn(s,t)}function Wr(e,t,n){n.run.spend(U(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(e.map(Y))),s.get(e).
has(Y(t))}var Jr=new Map([["type",[P,(e,t)=>e.some(n=>Dr[n](t))?null:w(`${g(t)} is not of type ${String(e)}`)]],["enum",
[P,(e,t,n)=>Wr(e,t,n)?null:w(`${g(t)} is not listed`)]],["const",[P,(e,t,n)=>(n.run.spend(U(t)+U(e)),Y(t)===Y(e)?null:w(
`${g(t)} is not ${g(e)}`))]],["minimum",[b,Bt("at least",Ut)]],["maximum",[b,Bt("at most",Ht)]],["exclusiveMinimum",[b,Bt(
"more than",(e,t)=>e>t)]],["exclusiveMaximum",[b,Bt("less than",(e,t)=>e<t)]],["multipleOf",[b,(e,t)=>zr(t,e)?null:w(`${t}\
 is not a multiple of ${String(e)}`)]],["minLength",[ht,st("at least",$,Ut)]],["maxLength",[ht,st("at most",$,Ht)]],["mi\
nItems",[F,st("at least",e=>e.length,Ut)]],["maxItems",[F,st("at most",e=>e.length,Ht)]],["minProperties",[M,st("at leas\
t",Cn,Ut)]],["maxProperties",[M,st("at most",Cn,Ht)]],["pattern",[ht,(e,t,n)=>n.matches(e,t)===!1?w(`${g(t)} does not ma\
tch ${g(e)}`):null]],["format",[ht,(e,t,n)=>{let s=n.run.formats?Tt.get(e):void 0;return s&&n.run.spend(t.length),s?.(t)===
!1?w(`${g(t)} is not a ${String(e)}`):null}]],["required",[M,(e,t)=>zn(e,t)]],["dependentRequired",[M,(e,t)=>T(e,([n,s])=>E(
t,n)?zn(s,t):null)]],["uniqueItems",[F,(e,t,n)=>(n.run.spend(U(t)),e&&new Set(t.map(Y)).size<t.length?w("an item is ther\
e twice"):null)]],["propertyNames",[M,(e,t,n)=>{let s=T(Object.keys(t),r=>n.judge(e,r));return s&&{...s,path:[]}}]],["ad\
ditionalProperties",[M,(e,t,n)=>{let s=n.keywords.get("properties"),r=[...n.keywords.get("patternProperties")?.keys()??[]],
i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return T(Object.keys(t),o=>i(o)?qn(e,t,o,n):null)}]],["prefixItems",[F,
(e,t,n)=>T(e.slice(0,t.length).entries(),([s,r])=>n.inner(r,t[s],s))]],["items",[F,(e,t,n)=>{let s=(n.keywords.get("pref\
ixItems")??[]).length;return T(t.slice(s).entries(),([r,i])=>n.inner(e,i,s+r))}]],["contains",[F,qr]],["properties",[M,(e,t,n)=>T(
Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],["patternProperties",[M,(e,t,n)=>T(e,([s,r])=>T(Object.keys(
t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[P,(e,t,n)=>{let{target:s,there:r}=n.lookup(e);return r.beside(s,
t)}]],["$dynamicRef",[P,Br]],["$recursiveRef",[P,Ur]],["allOf",[P,(e,t,n)=>T(e,s=>n.beside(s,t))]],["anyOf",[P,Hr]],["on\
eOf",[P,Fr]],["if",[P,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"then")??!0,t)]],["dependentSchemas",[M,(e,t,n)=>T(
e,([s,r])=>E(t,s)?n.beside(r,t):null)]],["not",[P,(e,t,n)=>n.judge(e,t)?null:w(`${g(t)} is what \`not\` excludes`)]],["u\
nevaluatedItems",[F,(e,t,n)=>T(t.entries(),([s,r])=>n.marks.has(s)?null:n.inner(e,r,s))]],["unevaluatedProperties",[M,(e,t,n)=>T(
Object.keys(t),s=>n.marks.has(s)?null:qn(e,t,s,n))]]]);var Xr=["enum","const","anyOf","oneOf","allOf"],Kr=["properties","additionalProperties","patternProperties","$ref",...Xr],
Yr=[...R("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),..._t],Zr=R("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),Vr=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],Qr=10;function Wn(e,t,n){!n&&d(e)&&(e=
vr(e));let s=new Ee(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new h("E502","expected the schema of an obje\
ct",{pointer:t});return{args:r,isChecked:s.isChecked,notes:s.notes}}function vr(e){return Kr.some(n=>(e.get(n)??null)!==
null)?e:new Map([...e,["properties",new Map]])}var Ee=class{constructor(t,n,s){this.root=n,this.standard=s,this.isChecked=
!1,this.notes={unmatched:[],unsayable:[],defaulted:[]},this.positions=0,this.texts=0,this.repeated=0,this.steps=0,this.done=
new Map,this.open=new Map,this.mentioned=new Map,this.declared=[],this.scope=nt.of(d(t)?t:new Map),this.open.set(t,1)}count(t){
if(this.positions+=t,this.positions+Math.floor(this.repeated/100)>1e5)throw new h("E505",`a schema of more than ${1e5} p\
ositions`,{pointer:this.root})}countTexts(t,n){this.texts+=t,n&&(this.repeated+=t),this.count(0)}mention(t,n){this.mentioned.
set(t,[...this.mentioned.get(t)??[],...n])}apart(t){let{mentioned:n,declared:s}=this;this.mentioned=new Map,this.declared=
[];let r={type:t(),mentioned:this.mentioned};return this.mentioned=n,this.declared=s,r}position(t,n,s,r){this.steps+=1;let{
type:i,mentioned:o}=this.apart(()=>this.schema(t,n,s,r));this.steps-=1;let{object:a}=i;if(a?.extra!==O)return i;let u=[...o.
keys()].filter(f=>!a.byName.has(f)).map(f=>({name:f,type:B(o.get(f)).type,required:!1,description:""}));return new S({...i,
object:new A([...a.params,...u])})}schema(t,n,s,r){if(r>64)throw new h("E301",`nested deeper than ${64}`,{pointer:n});if(this.
count(1),typeof t=="boolean")return t?p:te;if(!d(t))throw new h("E502",`expected a schema, found ${g(t)}`,{pointer:n});s=
s.inside(t);let i=new je(this,Dt(t,n,this.standard,s.resource.draft),n,s,r);i.look();try{let o=i.compile();return I(o,p)?
p:o}catch(o){throw!(o instanceof h)||o.pointer!==void 0?o:new h(o.code,o.problem,{pointer:n})}}},je=class{constructor(t,n,s,r,i){
this.run=t,this.keywords=n,this.place=s,this.scope=r,this.depth=i}at(...t){return this.place+Z(t)}inner(t,...n){return this.
run.position(t,this.at(...n),this.scope,this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.
depth+1)}all(t){return(this.keywords.get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??
new Map}look(){for(let[t,n]of this.keywords)ut(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.
match([...n.keys()],t):t==="format"?this.run.isChecked||=!this.run.standard&&Tt.has(n):Zr.has(t)&&!(t==="uniqueItems"&&n===
!1)&&(this.run.isChecked=!0)}match(t,n){let s=t.map(r=>et.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),
0)/Qr)),s.includes(null)?this.run.notes.unmatched.push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,
s=[];if(t.has("$ref")&&(s.push(this.referenced(t.get("$ref"))),ft(this.scope.resource)))return s[0];let r=this.kinds();r&&
s.push(this.byKind(r));let i=n.declared;n.declared=[...i,...s.flatMap(a=>a.object?.byName??[])],t.has("enum")&&s.push(this.
listed("enum",t.get("enum"))),t.has("const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])
t.has(a)&&s.push(this.union(a));s.push(...this.all("allOf")),n.declared=i;let o=at(s);return this.mention(),this.checkHidden(),
t.get("nullable")?B([o,new S({null:!0})]).type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.
scope.lookup(t,s);if(n.open.has(r)){if(n.open.get(r)===n.steps)throw new h("E504","the reference names itself",{pointer:s});
return n.isChecked=!0,p}let o=n.done.get(r);if(o)n.count(o.positions),n.countTexts(o.texts,!0);else{t.startsWith("#/")&&
(s=n.root+t.slice(1));let{positions:a,texts:c}=n;n.open.set(r,n.steps);let u=n.apart(()=>n.schema(r,s,i,this.depth+1));n.
open.delete(r),o={...u,positions:n.positions-a,texts:n.texts-c},n.done.set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);
return o.type}union(t){let n=this.all(t),s=dn(n,this.run.declared),r=B(s);return(!r.isExact||s!==n||t==="oneOf"&&gn(n))&&
(this.run.isChecked=!0),r.type}mention(){let t=[];for(let n of["if","then","else"])this.keywords.has(n)&&t.push(this.beside(
this.keywords.get(n),n));for(let n of["dependentSchemas","dependencies"])for(let[s,r]of this.members(n))Array.isArray(r)||
t.push(this.beside(r,n,s));for(let{object:n}of t)for(let s of n?.params??[])this.run.mention(s.name,[s.type])}checkHidden(){
this.keywords.has("not")&&this.beside(this.keywords.get("not"),"not");for(let t of["contains","propertyNames","unevaluat\
edItems","unevaluatedProperties"])this.keywords.has(t)&&this.inner(this.keywords.get(t),t)}listed(t,n){let s=n.filter(ti);
s.length<n.length&&this.run.notes.unsayable.push(this.at(t));let r=s.filter(u=>typeof u=="object"&&u!==null);r.length&&(this.
run.isChecked=!0);let i=s.filter(u=>typeof u!="object"||u===null),o=i.find(u=>!we(u));if(o!==void 0)throw new h("E502",`\
a label cannot be ${g(o)}`,{pointer:this.at(t)});let a=i.filter(b),c=i.filter(u=>typeof u=="string");return this.run.countTexts(
c.reduce((u,f)=>u+$(f),9*s.length),!1),new S({null:i.includes(null),booleans:[!1,!0].filter(u=>i.includes(u)),number:a.length?
new j({integer:a.every(u=>typeof u=="bigint"),values:a}):null,string:c.length?new N({values:[...new Set(c)]}):null,array:r.
some(Array.isArray)?p.array:null,object:r.some(d)?p.object:null})}kinds(){let{keywords:t}=this;if(t.has("type"))return t.
get("type");if(!Yr.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:Vr.find(([s])=>t.has(s));return n?[n[1]]:
["null","boolean","number","string","array","object"]}byKind(t){let n=t.includes("number")||t.includes("integer");return new S(
{null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?this.number(!t.includes("number")):null,string:t.
includes("string")?new N({min:this.size("minLength")??0,max:this.size("maxLength")}):null,array:t.includes("array")?this.
array():null,object:t.includes("object")?this.object():null})}number(t){let n=_t.map(s=>[s,this.keywords.get(s)]);return new j(
{integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.has(t)?Number(this.keywords.get(t)):void 0}array(){let t=this.
keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.isChecked=!0);let s=n?t:this.keywords.get("prefixItems")??[],r=n?
this.keywords.get("additionalItems")??!0:t,i=s.map((a,c)=>this.inner(a,n?"items":"prefixItems",c)),o=this.size("maxItems");
return r===!1&&(o=Math.min(o??1/0,s.length)),(r!==!1||!s.length)&&i.push(this.inner(r,n?"additionalItems":"items")),new C(
B(i).type,this.size("minItems")??0,o)}object(){let t=new Set(this.keywords.get("required")??[]),n=this.members("properti\
es"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),i=s===O?p:s??te,o=[...t].filter(a=>!n.has(a));return this.
run.count(o.length),new A([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],s)}extra(){let{keywords:t}=this,
n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.members("patternProperties");
for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedProperties")??!1)!==!1;return n===
void 0&&(this.run.standard||i)?p:n===void 0&&!s.length?t.has("properties")?O:p:n===!1&&!r.size?null:B(s).type}param(t,n,s){
let r=this.inner(n,"properties",t),i=d(n)?n:new Map,o=!1,a=i.get("$ref");if(typeof a=="string"&&a&&!i.get("description")){
let{target:l}=this.scope.inside(i).lookup(a,this.at("properties",t,"$ref"));o=d(l),d(l)&&(i=new Map([...l,...i]))}let c=i.
get("default"),u=i.get("description"),f=typeof u=="string"?u:"",m=c!==void 0&&Lt(c)?c:void 0;return s&&m!==void 0&&this.
run.notes.defaulted.push(this.at("properties",t)),this.run.countTexts($(f)+(m===void 0?0:U(m)),o),{name:t,type:r,required:s,
description:f,default:m}}};function ti(e){return typeof e!="string"||!q.test(e)}var ei=["parameters","input_schema","inputSchema"],ni=["properties","$ref","allOf","anyOf","oneOf"],Jn=8,Wt=class e{constructor(t,n=[],s=[],r=[]){
if(this.tools=t,this.unmatched=n,this.unsayable=s,this.defaulted=r,this.prints=new Map,this.byName=new Map(t.map(i=>[i.alias||
i.name,i])),this.byName.size<t.length||new Set(t.map(i=>i.name)).size<t.length)throw new h("E503","two tools have one na\
me",{pointer:""})}static from(t,{standard:n=!1,toJSONSchema:s}={}){let r=typeof t=="string"?dt(t):Ce(Yt(t,s??null)),i=d(
r)?r.get("tools")??[r]:r;if(!Array.isArray(i))throw new h("E502",`expected tool definitions, found ${g(i)}`,{pointer:""});
let o={unmatched:[],unsayable:[],defaulted:[]},a=i.map((c,u)=>si(c,`/${u}`,n,o));return new e(a,o.unmatched,o.unsayable,
o.defaulted)}toJSON(){return this.tools.map(({name:t,description:n,schema:s})=>({name:t,...n&&{description:n},parameters:mt(
s)}))}toString(){let t=this.tools.slice(0,Jn).map(n=>n.name);return`<ToolSet of ${this.tools.length}: ${[...t,...this.tools.
length>Jn?["\u2026"]:[]].join(", ")}>`}get fingerprint(){return se(this.tools)}fingerprintOf(t){let n=this.prints.get(t.
name)??se([t]);return this.prints.set(t.name,n),n}prompt(t={}){return on(this.tools,t)}get signatures(){return this.tools.
map(t=>ne(t))}};function si(e,t,n,s){let r=d(e)?e.get("function"):void 0;if(d(r)&&([e,t]=[r,`${t}/function`]),!d(e))throw new h(
"E502","expected a tool definition",{pointer:t});let i=!e.has("name")&&ni.some(m=>e.has(m)),o=e.get(i?"title":"name");if(typeof o!=
"string"||!o)throw new h("E502",`expected the name of a tool, found ${g(o)}`,{pointer:t});Pt(o,t);let a=ei.find(m=>(e.get(
m)??null)!==null),c=i?e:new Map([["type","object"]]);!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),!n&&d(c)&&(c=Rn(c));let u=Wn(
c,t,n);s.unmatched.push(...u.notes.unmatched),s.unsayable.push(...u.notes.unsayable),s.defaulted.push(...u.notes.defaulted);
let f=e.get("description");return{name:o,alias:"",description:typeof f=="string"?f:"",schema:c,args:u.args,check:u.isChecked?
Un(c,n):null}}function z(e,t,n){return new h(e,t,{path:Z(n)})}function Gn(e,t,n=q){if(typeof e=="string"){if(n.test(e))throw z("E401",
"U+0000 or a lone surrogate in a text",t)}else if(typeof e=="bigint"){if(!xt(e))throw z("E302",`an integer of more than ${4096}\
 digits`,t)}else if(typeof e=="number"?!Number.isFinite(e):!ii(e))throw z("E401",`expected a value of JSON, found ${typeof e==
"number"?e:Object.prototype.toString.call(e).slice(8,-1)}`,t)}function*Xn(e,t,n=q){for(let[s,r]of e instanceof Map?e:Object.
entries(e)){if(typeof s!="string"||n.test(s))throw z("E401","this cannot be a name",t);r!==void 0&&(yield[s,r])}}function ii(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}function Kn(e,t,n,s){if(!e.length||!e.every(Ne))return null;let r=e.map(m=>Object.keys(m)),i=r.reduce((m,l)=>m+l.length,
0),o=new Set(r.flat()).size;if(o+(o*e.length-i)>=i)return null;let a=Yn(e,t,s),c=a.flatMap(m=>m.cells),u=e.map((m,l)=>{let y=c.
map(x=>x[l]);for(;y.at(-1)==="_";)y.pop();return v([...n.slice(l,l+1),...y])}),f=`(${v(a.map(m=>m.head))})`;return s?`${e.
length}${f}
${u.join(`
`)}`:`${f}${u.join(";")}`}function Yn(e,t,n){let s=t.inner(),r=new Set(e.flatMap(o=>Object.keys(o))),i=(n?[...r]:L(r)).map(
o=>{let a=e.map(u=>E(u,o)?u[o]:void 0);if(s&&oi(a)){let u=Yn(a,s,n);return{order:2,head:`${_(o)}(${v(u.map(f=>f.head))})`,
cells:u.flatMap(f=>f.cells)}}let c=a.map(u=>u===void 0?"_":t.write(u));return{order:ai(c.filter((u,f)=>a[f]!==void 0)),head:_(
o),cells:[c]}});return n?i:i.sort((o,a)=>o.order-a.order)}function Ne(e){return typeof e=="object"&&e!==null&&!Array.isArray(
e)}function oi(e,t=2){let[n]=e;if(!Ne(n))return!1;let s=Object.keys(n);return s.length>=t&&e.every(r=>Ne(r)&&Object.keys(
r).length===s.length&&s.every(i=>E(r,i)))}function ai(e){return e.some(t=>"\"'`[({".includes(t[0]))?2:e.every(t=>"-01234\
56789".includes(t[0]))?0:1}function ci(e){if(typeof e!="object"||e===null)throw new h("E401","expected a call or an answer",{path:""});let{name:t,arguments:n}="\
function"in e?e.function:"input"in e?{name:e.name,arguments:e.input}:e;if(n===void 0)return e;if(typeof n!="string")return{
name:t,arguments:n};let s;try{s=dt(n||"{}")}catch(r){throw new h("E401",`expected JSON as the arguments: ${r.problem}`,{
path:""})}if(!(s instanceof Map))throw new h("E401","expected an object as the arguments",{path:""});return{name:t,arguments:Ie(
s)}}function Ie(e){if(Array.isArray(e))return e.map(Ie);if(!(e instanceof Map))return e;let t=Zt();for(let[n,s]of e)t[n]=
Ie(s);return t}function Zn(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!Fe.includes(s))throw new h("E401",`no form\
 has the name ${String(s)}`);let i=new Te(t,s,n),o=null;return[e].flat().map(c=>{let u=ci(c);if(!("arguments"in u))return i.
answer(u);let f=i.call(u,r?null:o);return o=u.name,(r&&s!=="tagged"?Vt:"")+f}).join(`
`)}var Te=class e{constructor(t,n,s,r=!1){this.tools=t,this.form=n,this.options=s,this.onLines=r,this.isPunctuated=n==="\
punctuated",this.isExact=s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new h(
"E212",`without tools, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=Vn(t.arguments,i?.args??Ot,
0,[]),a=i?.check?.(o);if(a)throw new h(a.code,a.problem,{path:Z(a.path)});let c=_(i?.alias||t.name)+(this.options.fingerprint&&
s&&i?`#${s.fingerprintOf(i)}`:"");if(r==="tagged")return`${Vt}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,p))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let f=r==="wire"&&t.name===n?"&":c;return u.length?`${f} ${this.row(u)}`:f}answer(t){return(t.
error&&!t.name?Ge:`${t.error?Je:We}${this.answerName(t.name)} `)+new e(null,"wire",this.options,this.options.lines).value(
Re(t.value,p,0,[]),p)}answerName(t){return _(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||
q.test(t))throw new h("E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)
return n;throw new h("E201",`no tool ${W(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):v(t)}members(t,n){
let{row:s,keyed:r}=this.form==="wire"?n.arrange(t):{row:[],keyed:n.inOrder(t)},i=s.map(o=>o?this.value(t[o.name],o.type):
"_");for(let o of r)i.push(`${_(o)}=${this.value(t[o],n.typeOf(o)??p)}`);return i}pairs(t,n){let s=Object.keys(t);return(this.
onLines?s:L(s)).map(r=>`${_(r)} ${this.value(t[r],n)}`)}value(t,n){if(typeof t=="string")return Ye(t,n.takesBare(t)&&(n.
hasLabels||!this.isPunctuated),this.isPunctuated);if(typeof t=="number")return this.number(t);if(typeof t!="object"||t===
null)return String(t);if(Array.isArray(t)){let o=n.array?.items??p,a=this.onLines?new e(null,"wire",this.options):this,c=()=>this.
row(t.map(u=>a.value(u,o)));return`[${a.table(t,o,[],this.onLines)??c()}]`}let s=n.object??Ot;if(!s.isMap)return`(${this.
row(this.members(t,s))})`;let r=L(Object.keys(t));return`{${(this.onLines?null:this.table(r.map(o=>t[o]),s.extra,r.map(_)))??
this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(t,-0)?String(t):X(
t)}table(t,n,s=[],r=!1){return this.isPunctuated||!n.object?.isMap?null:Kn(t,this.cells(n.object.extra),s,r)}cells(t){return{
write:n=>this.value(n,t),inner:()=>t.object?.isMap?this.cells(t.object.extra):null}}groups(t,n){let{row:s,keyed:r}=n?.arrange(
t)??{row:[],keyed:L(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||!r.length?[`(${i.join(" ")}\
)`]:[];for(let a of r)o.push(`(${vt(a)} ${this.atom(t[a],n?.typeOf(a)??p)})`);return o.join(`
`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return tt(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return tt(
"b",String(t));if(typeof t=="bigint")return tt(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return tt(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??p)).join(" ")}]`;let s=n.
object??Ot;return`{${s.inOrder(t).map(r=>`${vt(r)} ${this.atom(t[r],s.typeOf(r)??p)}`).join(" ")}}`}};function Re(e,t,n,s){
Gn(e,s);let r=t.refuse(e);if(r)throw z(r[0],`expected ${r[1]}, found ${g(e)}`,s);if(typeof e!="object"||e===null)return e;
if(n>=64)throw z("E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>Re(i,t.array.items,n+1,
[...s,o])):Vn(e,t.object,n+1,s)}function Vn(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw z("E401","e\
xpected an object of arguments",s);let r=Zt();for(let[i,o]of Xn(e,s)){let a=t.typeOf(i);if(!a)throw z("E202",`no paramet\
er ${W(i)}`,s);r[i]=Re(o,a,n,[...s,i])}for(let{name:i}of t.needs)if(!E(r,i))throw z("E205",`${W(i)} is required`,s);return r}return ss(ui);})();
