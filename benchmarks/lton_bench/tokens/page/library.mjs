// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var Bt=Object.defineProperty;var Fn=Object.getOwnPropertyDescriptor;var Gn=Object.getOwnPropertyNames;var Xn=Object.prototype.hasOwnProperty;var Jn=(e,t)=>{for(var n in t)Bt(e,n,{get:t[n],enumerable:!0})},Kn=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of Gn(t))!Xn.call(e,r)&&r!==n&&Bt(e,r,{get:()=>t[r],enumerable:!(s=Fn(t,r))||s.enumerable});return e};var Yn=e=>Kn(Bt({},"__esModule",{value:!0}),e);var Yr={};Jn(Yr,{LtonError:()=>l,ToolSet:()=>qt,encode:()=>Hn,sorted:()=>L});var l=class extends Error{#t;constructor(t,n,{doc:s,start:r=0,firstLine:i=1,...o}={}){let{pos:a,path:c,pointer:u}=o,f=c||
u?`at ${c||u}`:"",m=a===void 0?f:`position ${a}`,h={},y="";if(s!==void 0&&a!==void 0){let x=Zn(s,a-r),lt=x.split(`
`),[ht,Ee]=[i+lt.length-1,[...lt.at(-1)].length+1],je=s.indexOf(`
`,x.length);y=s.slice(x.lastIndexOf(`
`)+1,je<0?s.length:je),h={line:ht,column:Ee},m=`line ${ht}, column ${Ee}${f&&`, ${f}`}`}super(`${n}${m?` (${m})`:""} [${t}\
]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,o,h),this.#t=y}picture(t=76){if(this.column===void 0)
return"";let n=[...this.#t].map(Vn),s=this.column-1,r=Math.max(0,Math.min(s-(t>>1),n.length-t));return`${n.slice(r,r+t).
join("")}
${n.slice(r,s).map(vn).join("")}^`}};function Zn(e,t){let n=0;for(let s=t;s>0&&n<e.length;s-=1)n+=e.codePointAt(n)>65535?
2:1;return e.slice(0,n)}function Vn(e){return/^[^\p{C}\p{Z}]$|^[ \t]$/u.test(e)?e:"\uFFFD"}var Qn=/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
function vn(e){return e==="	"?e:/\p{M}/u.test(e)?"":Qn.test(e)?"  ":" "}function Z(e){let t="";for(let n of e)t+=`/${String(
n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function g(e){let t;return typeof e=="string"?t=F(e.slice(0,41)):
e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an array":"an object",t.length>40?`${t.slice(0,
40)}\u2026`:t}function F(e){return e.includes("'")?JSON.stringify(e):`'${JSON.stringify(e).slice(1,-1).replaceAll('\\"',
'"')}'`}var Ut=1e3,ts=1e5,V=/[ \t\n\r]*/y,Ne=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,es=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
ns=/true|false|null/y,ss=new Map([["true",!0],["false",!1],["null",null]]);function pt(e,t=!1){let n=new Wt(e,t),s=n.value(
0);if(n.pos<e.length)throw n.unexpected("the end of the text");return s}var Ht=class{constructor(t){this.text=t,this.pos=
0}skip(t){let n=this.text[this.pos]===t;return this.pos+=Number(n),n}match(t){t.lastIndex=this.pos;let n=t.exec(this.text);
return this.pos+=n?n[0].length:0,n}},Wt=class extends Ht{constructor(t,n){super(t),this.isUnique=n}value(t){if(this.match(
V),t>Ut)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(V),n}unspaced(t){let n=this.match(
Ne);if(n)return JSON.parse(n[0]);let s=this.match(es);if(s)return this.number(s);let r=this.match(ns);if(r)return ss.get(
r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a value")}number([
t,n,s]){if(n||s)return Number(t);if(t.length>ts)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(t)}array(t){
let n=[];if(this.match(V),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip("]"))throw this.
unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(V),this.skip("}"))return n;do{this.match(V);let s=this.
match(Ne);if(!s)throw this.unexpected("a key in double quotes");if(this.match(V),!this.skip(":"))throw this.unexpected("\
a colon");let r=JSON.parse(s[0]);if(this.isUnique&&n.has(r))throw this.unexpected("a key once");n.set(r,this.value(t))}while(this.
skip(","));if(!this.skip("}"))throw this.unexpected("a comma or }");return n}unexpected(t){let[n=""]=this.text.slice(this.
pos,this.pos+2),s=n?JSON.stringify(n):"the end of the text";return new l("E502",`expected ${t}, found ${s}`,{pos:this.pos})}};
function Ie(e){return Te(e,new Map,0)}function Te(e,t,n){if(typeof e=="number")return Number.isInteger(e)&&!Object.is(e,
-0)?BigInt(e):e;if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="object")throw new l(
"E502",`a ${typeof e} is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new l("E502","a definition contains i\
tself");return i}if(n>Ut)throw new l("E301",`nested deeper than ${Ut}`);t.set(e,void 0);let s=i=>Te(i,t,n+1),r=Array.isArray(
e)?e.map(s):new Map([...rs(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,r),r}function rs(e){return e instanceof
Map?e:Object.entries(e)}var Re=10n**BigInt(4095),q=/[\0\ud800-\udfff]/u,G=/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;
function Le(e){return e.replace(/[^]/g,t=>`\\u${t.charCodeAt(0).toString(16).padStart(4,"0")}`)}var is=/[\ud800-\udfff]/,
os=/[\ud800-\udbff][\udc00-\udfff]/g;function $(e){return is.test(e)?e.length-(e.match(os)?.length??0):e.length}function M(e){
return typeof e=="object"&&e!==null&&!Array.isArray(e)}function b(e){return typeof e=="number"||typeof e=="bigint"}function mt(e){
return typeof e=="bigint"||Number.isInteger(e)}function dt(e){return-Re<e&&e<Re}function X(e){if(typeof e=="number")return Number.
isInteger(e)&&!Number.isSafeInteger(e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(t)?t:e}function Ft(){return Object.
create(null)}var as=Object.prototype.hasOwnProperty;function E(e,t){return as.call(e,t)}function L(e){return[...e].sort(
cs)}function cs(e,t){let n=Math.min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[e.charCodeAt(s),t.charCodeAt(s)];
if(r!==i)return r>=55296&&i>=55296?Pe(r)-Pe(i):r-i}return e.length-t.length}function Pe(e){return e<57344?e+65536:e}var _e=["wire","keyed","punctuated","tagged"],Gt="!call ",Ce="!result ",De="!error ",ze="!error: ";var qe=/^[A-Za-z0-9_./-]+$/,Xt=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,Be=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/,
us=/[\n\r]/,fs=/`{3,}/g;var ls=['"',"'","`"];function gt(e){return qe.test(e)}var hs=/["'`)\]}]$/,ps=/^[A-Za-z]/;function Q(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(hs.test(e[n-
1])&&!ps.test(s)?",":" ")+s}return t}function _(e){return qe.test(e)?e:yt(e)??He(e)}function Jt(e){return e==="n"||e==="\
_"?`"${e}"`:_(e)}function Ue(e,t,n=!1){return t&&Xt.test(e)?e:yt(e)??(n?He(e):v("s",e))}function v(e,t){return`${e}${$(t)}\
:${t}`}function yt(e){if(us.test(e))return null;let t=ls.find(n=>!e.includes(n));return t?t+e+t:null}function He(e){let t=2;
for(let[s]of e.matchAll(fs))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function J(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var j=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
X)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get noun(){return this.integer?"an integer":
"a number"}refuse(t){if(this.integer&&!mt(t))return["E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.
listed.has(X(t)))return["E204",Fe(this.values.map(J))];let n=this.broken(t);return n?["E208",`${this.noun} of ${n}`]:null}broken(t){
return this.minimum!==void 0&&!(t>=this.minimum)?`at least ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`a\
t most ${this.maximum}`:this.exclusiveMinimum!==void 0&&!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:
this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?`less than ${this.exclusiveMaximum}`:""}},N=class{constructor({
min:t=0,max:n,values:s}={}){this.min=t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=t===0&&n===void 0&&
s===void 0}get noun(){return this.values?Fe(this.values.map(t=>F(t))):"a string"}refuse(t){if(this.isOpen)return null;if(this.
listed&&!this.listed.has(t))return["E204",this.noun];let n=Ge($(t),this.min,this.max);return n?["E208",`a string of ${n}\
 characters`]:null}},C=class{constructor(t,n=0,s=void 0){this.items=t,this.min=n,this.max=s}refuse(t){let n=Ge(t.length,
this.min,this.max);return n?["E208",`an array of ${n} items`]:null}},S=class{constructor(t=[],n=null){this.extra=n,this.
needs=t.filter(s=>s.required),this.params=[...this.needs,...t.filter(s=>!s.required)],this.byName=new Map(this.params.map(
s=>[s.name,s])),this.isMap=t.length===0&&n!==null}typeOf(t){return this.byName.get(t)?.type??this.extra}inOrder(t){return[
...this.params.map(s=>s.name).filter(s=>E(t,s)),...L(Object.keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.
params.map(o=>E(t,o.name)?o:null);for(;n.length&&n.at(-1)===null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).
length;s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(
o=>!i.has(o))}}},A=class{constructor(t={}){this.null=t.null??!1,this.booleans=t.booleans??[],this.number=t.number??null,
this.string=t.string??null,this.array=t.array??null,this.object=t.object??null,this.isWordy=this.string!==null&&!this.null&&
this.booleans.length===0}get isAny(){let{array:t,number:n,object:s,string:r}=this;if(this===p)return!0;let i=this.null&&
this.booleans.length===2&&r?.isOpen&&n?.isOpen&&!n.integer,o=t?.items===p&&t.min===0&&t.max===void 0;return!!i&&o&&s?.isMap===
!0&&s.extra===p}get hasLabels(){return this.string?.values!==void 0}takesBare(t){return!(this.null&&t==="null"||this.booleans.
length>0&&(t==="true"||t==="false")||this.number!==null&&Be.test(t))}refuse(t){return typeof t=="string"?this.string?this.
string.refuse(t):this.wrongKind():b(t)?this.number?this.number.refuse(t):this.wrongKind():t===null?this.null?null:this.wrongKind():
typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():Array.isArray(t)?this.array?this.array.refuse(t):this.
wrongKind():this.object?null:this.wrongKind()}wrongKind(){return["E203",this.noun]}get noun(){return[this.string?.noun,this.
number?.noun,this.array&&"an array",this.object&&"an object",this.booleans.join(" or "),this.null&&"null"].filter(Boolean).
join(" or ")||"nothing"}};function ms(){let e=new A({null:!0,booleans:[!1,!0],number:new j({integer:!1}),string:new N});
return Object.assign(e,{array:new C(e),object:new S([],e)})}var p=ms(),bt=p.object,O=new A({...p}),Kt=new A,We=8;function Fe(e){
if(e.length===1)return e[0];let t=e.length>We?`, \u2026 (${e.length} in all)`:"";return`one of ${e.slice(0,We).join(", ")}${t}`}
function Ge(e,t,n){return e<t?`at least ${t}`:n!==void 0&&e>n?`at most ${n}`:""}function I(e,t){return e===t||e.null===t.null&&Xe(e.booleans,t.booleans)&&H(e.number,t.number)&&H(e.string,t.string)&&H(
e.array,t.array)&&H(e.object,t.object)}function H(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof S&&
t instanceof S)return ds(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max"].every(r=>n[r]==s[r])&&Xe(e.values,t.values)&&(!(e instanceof C)||I(e.items,t.items))}function ds(e,t){if(e.
params.length!==t.params.length||e.extra===null!=(t.extra===null))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.
required&&I(s.type,r.type);return e.params.every((s,r)=>n(s,t.params[r]))&&(e.extra===null||I(e.extra,t.extra))}function Xe(e,t){
return e===t||e!==void 0&&t!==void 0&&e.length===t.length&&e.every((n,s)=>n==t[s])}var st=[];for(let e=2;st.length<64;e+=1)st.every(t=>e%t)&&st.push(e);var Je=e=>e%1*2**32|0,gs=st.slice(0,8).map(e=>Je(Math.
sqrt(e))),ys=st.map(e=>Je(Math.cbrt(e))),D=(e,t)=>e>>>t|e<<32-t;function Ke(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...gs],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)bs(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function bs(e,t,n,s){for(let h=0;h<64;h+=1)if(h<16)n[h]=e.getInt32(
t+4*h);else{let[y,x]=[n[h-15],n[h-2]],lt=D(y,7)^D(y,18)^y>>>3,ht=D(x,17)^D(x,19)^x>>>10;n[h]=n[h-16]+lt+n[h-7]+ht}let[r,
i,o,a,c,u,f,m]=s;for(let h=0;h<64;h+=1){let y=m+(D(c,6)^D(c,11)^D(c,25))+(c&u^~c&f)+ys[h]+n[h]|0,x=(D(r,2)^D(r,13)^D(r,22))+
(r&i^r&o^i&o)|0;[m,f,u,c,a,o,i,r]=[f,u,c,a+y|0,o,i,r,y+x|0]}[r,i,o,a,c,u,f,m].forEach((h,y)=>s[y]=s[y]+h|0)}var ws=new Set(["any","bool","false","int","never","null","num","str","true"]),wt="...",xs="str|num|bool|[any]|{any}|nul\
l";function Zt(e,t=!0){return Qt(e)+new it(t).members(e.args)}function Vt(e){let t=e.map(n=>Zt(n,!1)).map(n=>[[...n].map(
s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>$s(n,s)),Ke(t.map(([,n])=>n).join(`
`)).slice(0,8)}function $s(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function Qt(e){
return e.alias?`${rt(e.alias)}=${rt(e.name)}`:rt(e.name)}function xt(e){return e===wt?`"${e}"`:rt(e)}function rt(e){return gt(
e)?e:vt(e)}function vt(e){return(G.test(e)?null:yt(e))??`@${JSON.stringify(e).replace(new RegExp(G,"gu"),Le)}`}function Ye(e){
return Xt.test(e)&&p.takesBare(e)?e:vt(e)}var it=class{constructor(t=!0){this.defaults=t}members(t){return`(${this.parts(
t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(s),s]);return t.extra?[...n,[`${wt}:${this.type(
t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=xt(t.name)+(t.required?"":"?")+(n==="str"?"":`:${n}`);return this.
defaults&&!t.required&&t.default!==void 0&&t.default!==null?`${s}=${Yt(t.default)}`:s}type(t){if(I(t,p))return"any";let{
string:n,number:s,booleans:r,array:i,object:o}=t,a=[];n&&a.push(...n.values?n.values.map(As):["str"]),s&&a.push(...s.values?
s.values.map(J):[s.integer?"int":"num"]),r.length&&a.push(r.length>1?"bool":String(r[0])),i&&a.push(`[${this.type(i.items)}\
]`),o&&a.push(o.isMap?`{${this.type(o.extra)}}`:this.object(o)),t.null&&a.push("null");let c=a.join("|")||"never";return c===
xs?"any":c}object(t){return this.members(t)}};function As(e){return ws.has(e)||e.startsWith("@")?vt(e):Ye(e)}function Yt(e){
return typeof e=="string"?Ye(e):b(e)?J(e):Array.isArray(e)?`[${e.map(Yt).join(" ")}]`:e instanceof Map?`{${[...e].map(([
t,n])=>`${rt(t)} ${Yt(n)}`).join(" ")}}`:String(e)}var Os=20,Ss=/[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,ks=new RegExp(G,"gu"),te="Tools: \
name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default; a|b is \
a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",Ms={wire:`${te} its name and the val\
ues in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key\
 value}; _ for what you leave out, or name=value.`,keyed:`${te} its name, then name=value for each, with spaces between;\
 "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${te} name(par\
ameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function Ve(e,{descriptions:t=!0,
primer:n}={}){let s=new ee(t),r=[...s.define(e.map(o=>o.args)),...e.map(o=>s.tool(o))],i=n&&Ms[n];return[...i?[i]:[],...r].
join(`
`)}var ee=class e extends it{constructor(t){super(),this.descriptions=t,this.names=new Map}tool(t){let n=Qt(t);if(!this.
descriptions)return n+this.members(t.args);let s=[Ze(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${Ze(r,
i?.description??"")}`),i&&s.push(...this.inside(i.type,xt(i.name)));return s.join(`
`)}define(t){let n=t.flatMap(o=>[...Qe(o,"")]).map(([o,a])=>({name:o,node:a,text:this.text(a)})),s=new Map;for(let{text:o}of n)
s.set(o,(s.get(o)??0)+1);let r=new Set,i=[];for(let{name:o,node:a,text:c}of n){if(s.get(c)<2||[...c].length<Os||this.names.
has(c))continue;let u=this.members(a),f=gt(o)?o:"object",m=f;for(let h=2;r.has(m);h+=1)m=`${f}${h}`;r.add(m),this.names.
set(c,`@${m}`),i.push([`@${m}=${u}`,...this.descriptions?this.about(a,""):[]].join(`
`))}return i}object(t){return this.names.size&&this.names.get(this.text(t))||super.object(t)}text(t){let n=new e(!0);return[
n.members(t),...this.descriptions?n.about(t,""):[]].join(`
`)}inside(t,n){if(t===p)return[];let s=t.array?this.inside(t.array.items,n):[],{object:r}=t;return r&&!(this.names.size&&
this.names.has(this.text(r)))&&s.push(...this.about(r,`${n}.`)),s}about(t,n){let s=t.params.flatMap(r=>{let i=n+xt(r.name),
o=ve(r.description);return[...o?[`  ${i} ${o}`]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.inside(t.extra,
n+wt)]:s}};function*Qe(e,t){for(let n of e.params)yield*ne(n.type,n.name);e.extra&&(yield*ne(e.extra,t))}function*ne(e,t){
e!==p&&(e.array&&(yield*ne(e.array.items,t)),e.object&&(yield*Qe(e.object,t),e.object.params.length&&(yield[t,e.object])))}
function Ze(e,t){let n=ve(t);return n?`${e} ${n}`:e}function ve(e){return e.split(Ss).filter(Boolean).join(" ").replace(
ks,"\uFFFD")}var tn=1e6;function B(e){if(e.some(r=>I(r,p)))return{type:p,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(u=>u!==null);if(o.
every(u=>H(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>H(u,a)),a};return{type:new A({null:e.some(r=>r.
null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),Es),string:n(e.map(r=>r.
string),js),array:n(e.map(r=>r.array),Ns),object:n(e.map(r=>r.object),Is)}),isExact:t}}function Es(e){let t=e.every(i=>i.
integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[X(o),o]));return[new j({integer:t,
values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new j({integer:t}),!1];let n=i=>{let o=e.map(a=>a[i]);
return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?en:nn)},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n(
"exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new j({integer:t,...s,...r}),!1]}var en=(e,t)=>t<e?t:
e,nn=(e,t)=>t>e?t:e;function js(e){return e.every(t=>t.values)?[new N({values:[...new Set(e.flatMap(t=>t.values))]}),!0]:
e.some(t=>t.values)?[new N,!1]:[new N({min:Math.min(...e.map(t=>t.min)),max:sn(e)}),!1]}function Ns(e){let t=B(e.map(n=>n.
items)).type;return[new C(t,Math.min(...e.map(n=>n.min)),sn(e)),!1]}function sn(e){let t=e.map(n=>n.max);return t.includes(
void 0)?void 0:Math.max(...t)}function rn(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):
void 0}function on(e,t){let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);if(n.size*
t.length>tn)throw new l("E505",`objects combine to over ${tn} members`);return n}function Is(e){let t=e.filter(r=>r.extra!==
null&&r.extra!==O),n=[...on(e,t)].map(([r,i])=>{let o=t.filter(c=>!c.byName.has(r)).map(c=>c.extra),a=B([...i.map(c=>c.type),
...o]).type;return{...i[0],type:a,required:i.length===e.length&&i.every(c=>c.required)}}),s=null;return t.length?s=B(t.map(
r=>r.extra)).type:e.some(r=>r.extra===O)&&(s=O),[new S(n,s),!1]}function an(e,t){let n=e.map(o=>o.object).filter(o=>o?.extra===
O),s=new Map;for(let o of n)for(let a of o.byName.keys())s.set(a,(s.get(a)??0)+1);let r=([o,a])=>a<n.length&&t.some(c=>c.
has(o)),i=new Set([...s].filter(r).map(([o])=>o));return i.size?e.map(o=>o.object?.extra!==O?o:new A({...o,object:new S(
o.object.params.filter(a=>!i.has(a.name)),O)})):e}function cn(e){let t=r=>e.filter(r).length,n=e.flatMap(r=>r.booleans),
s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.length>1&&(i.some(a=>!a.values)||new Set(o.map(String)).
size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||s(e.map(r=>r.number))||s(e.map(r=>r.string))||t(r=>r.array)>
1||t(r=>r.object)>1}function ot(e){let t=e.filter(s=>!I(s,p));if(t.length<2)return t[0]??p;let n=(s,r)=>{let i=s.filter(
o=>o!==null);return i.length<s.length?null:i.every(o=>H(o,i[0]))?i[0]:r(i)};return new A({null:t.every(s=>s.null),booleans:[
!1,!0].filter(s=>t.every(r=>r.booleans.includes(s))),number:n(t.map(s=>s.number),Ts),string:n(t.map(s=>s.string),Rs),array:n(
t.map(s=>s.array),Ps),object:n(t.map(s=>s.object),Ls)})}function Ts(e){let t=e.some(c=>c.integer),n=c=>{let u=e.map(f=>f[c]).
filter(f=>f!==void 0);return u.length?u.reduce(/min/i.test(c)?nn:en):void 0},s={minimum:n("minimum"),maximum:n("maximum")},
r={exclusiveMinimum:n("exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")},i=new j({integer:t,...s,...r}),o=e.filter(
c=>c.values);if(!o.length)return i;let a=o[0].values.filter(c=>[i,...o].every(u=>u.refuse(c)===null));return a.length?new j(
{integer:t,values:a}):null}function Rs(e){let t=new N({min:Math.max(...e.map(r=>r.min)),max:rn(e)}),n=e.filter(r=>r.values);
if(!n.length)return t;let s=n[0].values.filter(r=>[t,...n].every(i=>i.refuse(r)===null));return s.length?new N({values:s}):
null}function Ps(e){let t=ot(e.map(n=>n.items));return new C(t,Math.max(...e.map(n=>n.min)),rn(e))}function Ls(e){let t=e.
filter(s=>s.extra!==O&&!(s.extra&&I(s.extra,p))),n=[];for(let[s,r]of on(e,t)){let i=r.some(u=>u.required),o=t.filter(u=>!u.
byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}let a=ot([...r.map(u=>u.type),...o]),c=r.find(
u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}return new S(n,_s(e.map(s=>s.extra)))}function _s(e){
if(e.includes(null))return null;let t=e.filter(s=>s!==O);return t.length<e.length&&t.every(s=>I(s,p))?O:ot(t)}var k=class extends Error{};function Ot(e){return se(e,"u")||se(e,"")}function se(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var Cs=`
\r\u2028\u2029`,un={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},fn=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),re=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new k;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!Cs.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new k;t=this.choice()}
if(!this.skip(")"))throw new k;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>fn(
r[i-1])!==fn(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new k;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new k;
if("dDwWsS".includes(t))return ln(`\\${t}`);if(t in un)return un[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new k;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new k;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!se(r,"u"))throw new k;return this.pos+=s[0].length,ln(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new k;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new k;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function ln(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function $t(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+$t(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+$t(e.part);if(e.kind!=="repeat")return 1;let t=$t(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function At(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+At(n),0):e.kind==="any"?Math.min(...e.parts.map(At)):e.kind==="repeat"?e.low*At(e.part):0}var tt=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new re(t).pattern(),s=$t(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
k||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?At(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new ie(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},ie=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var Ds=/^(\d{4})-(\d\d)-(\d\d)$/,zs=1440,qs=/^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/i,
Bs=/^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
hn=String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`,Us=new RegExp(String.
raw`^(?:${hn}(?:\.${hn})*|"[^"\r\n]*")@([^]+)$`),Hs=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,Ws=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
Fs=/^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u,Gs=/^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,
oe=String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef`+Array.from({length:13},(e,t)=>(t+1).toString(16)).map(e=>String.raw`\u{${e}0000}-\u{${e}fffd}`).
join("")+String.raw`\u{e1000}-\u{efffd}`,bn=String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;function kt(e){
return new RegExp(String.raw`[^%${e}]|%(?![\da-fA-F]{2})`,"u")}var ae=String.raw`\w.~!$&'()*+,;=:@\/?\-`,pn=kt(ae),Xs=kt(
ae+oe),Js=kt(ae+oe+bn),Ks=kt(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-`+oe+bn),mn=String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`,
Ys=new RegExp(String.raw`\{[+#./;?&=,!@|]?${mn}(?:,${mn})*\}`,"gi"),Zs=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,
Vs=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,Qs=/^(?:0|[1-9]\d{0,2})$/,vs=/^[\da-f]{1,4}$/i;function dn(e){let[,t,n,s]=Ds.exec(
e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,
31,30,31,30,31][n-1]}function gn(e){let[t,n,s,r,i,...o]=qs.exec(e)??[];if(t===void 0)return!1;if(r!=="60")return!0;let a=i?
+`${i}1`*(Number(o[0])*60+Number(o[1])):0;return(Number(n)*60+Number(s)-a+1)%zs===0}function yn(e,t=wn){let n=Us.exec(e)?.[1]??
"",s=/^\[([^]*)\]$/.exec(n)?.[1];return s===void 0?t(n)&&!n.endsWith("."):s.startsWith("IPv6:")?ue(s.slice(5)):ce(s)}function wn(e){
let t=e.replace(/\.$/,"");return t.length<=253&&t.split(".").every(n=>Hs.test(n))}function tr(e){let t=n=>$(n)<=63&&Fs.test(
n)&&!/^-|-$/.test(n);return $(e)<=253&&e.split(".").every(t)}function ce(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>Qs.test(n)&&Number(n)<256)}function ue(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!ce(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>vs.test(o))&&(t.length===2?i<8:i===8)}function St(e,t,n){let s=Gs.exec(e);if(!s)return!1;
let[,r,i="",o="",a="",c=""]=s;if(r===void 0&&(!t||o.split("/",1)[0].includes(":")))return!1;let u=n?Xs:pn,f=n?Js:pn;return er(
i,u)&&!u.test(o)&&!f.test(a)&&!u.test(c)}function er(e,t){let n=Zs.exec(e);if(!n)return!1;let[,s="",r,i=""]=n;return r!==
void 0&&!Vs.test(r)&&!ue(r)?!1:!t.test(s)&&!t.test(i)}function xn(e){return(e===""||e.startsWith("/"))&&!/~(?![01])/.test(
e)}function nr(e){let t=/^(?:0|[1-9]\d*)/.exec(e)?.[0],n=e.slice(t?.length);return t!==void 0&&(n==="#"||xn(n))}var Mt=new Map(
[["date",dn],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&dn(e.slice(0,10))&&gn(e.slice(11))],["duration",e=>Bs.test(e)],["\
email",e=>yn(e)],["hostname",wn],["idn-email",e=>yn(e,tr)],["ipv4",ce],["ipv6",ue],["iri",e=>St(e,!1,!0)],["iri-referenc\
e",e=>St(e,!0,!0)],["json-pointer",xn],["regex",Ot],["relative-json-pointer",nr],["time",gn],["uri",e=>St(e,!1,!1)],["ur\
i-reference",e=>St(e,!0,!1)],["uri-template",e=>!Ks.test(e.replace(Ys,"-"))],["uuid",e=>Ws.test(e)]]);var It=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],R=e=>new Set(e.split(" ")),sr=R("const default exampl\
e type"),rr="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|number float Float \
double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array ArrayList Queue Stac\
k|object dict Dict Object Map HashMap Hashtable|any Any",at=new Map([["","any"]]);for(let e of rr.split("|"))for(let t of e.
split(" "))at.set(t,e.split(" ")[0]);var ir=new Map([["array","items"],["object","additionalProperties"]]);function d(e){
return e instanceof Map}var Tt=2020,On=new Map;for(let[e,t]of[[6,"const contains propertyNames"],[7,"else if then"],[2019,
"$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties"],[Tt,"\
$dynamicRef prefixItems"]])for(let n of t.split(" "))On.set(n,e);function Rt(e,t,n,s){let r=c=>!n||(On.get(c)??0)<=s,i=new Map(
[...e].filter(([c,u])=>(u!==null||sr.has(c))&&r(c))),o=e.get("type"),a=typeof o=="string"&&!["any","object"].includes(at.
get(o)??"any");typeof i.get("required")=="boolean"&&a&&i.delete("required");for(let[c,u]of[["minimum","exclusiveMinimum"],
["maximum","exclusiveMaximum"]]){let f=i.get(u);typeof f=="boolean"&&(i.delete(u),!(!f||!i.has(c))&&(i.set(u,i.get(c)),i.
delete(c)))}return i.has("type")?or(i,t,n):i}function or(e,t,n){let s=e.get("type"),r=typeof s=="string"&&!at.has(s)?ar(
s):null;r&&(e=new Map([...r,...e]),s=r.get("type")),ct("type",s,`${t}/type`);let i=[s].flat().map(f=>at.get(f)),o=i.indexOf(
void 0);if(o>=0)throw new l("E501",`no type has the name ${g([s].flat()[o])}`,{pointer:`${t}/type`});i.includes("any")?e.
delete("type"):e.set("type",i);let a=e.get("enum"),c=e.get("items")??new Map,u=Array.isArray(a)&&a.length>0&&!a.some(Array.
isArray);return i.join()==="array"&&d(c)&&u&&!n&&(e.set("items",new Map([...c,["enum",a]])),e.delete("enum")),e}function ar(e){
let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&t.endsWith("]"),s=n?t.slice(9,-1):
t,r=s.indexOf("["),i=at.get(r<0?s:s.slice(0,r)),o=ir.get(i??"");if(i===void 0||r>=0&&!(o&&s.endsWith("]")))return null;let a=new Map(
[["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),f=i==="array"?c:u<0?"":c.slice(u+1);a.set(o,new Map([["typ\
e",f.trim()]]))}return n?a.set("nullable",!0):a}var cr=R("$defs additionalItems additionalProperties const contains defa\
ult definitions dependencies dependentSchemas else example if items not patternProperties properties propertyNames then \
unevaluatedItems unevaluatedProperties");function Sn(e){let t=r=>d(r)&&typeof r.get("type")=="string";if(e.size===0||![...e.
values()].every(t)||[...e.keys()].some(r=>cr.has(r)))return e;let s=[...e].filter(([,r])=>!r.has("default")&&!r.get("typ\
e").endsWith("optional"));return new Map([["type","object"],["properties",e],["required",s.map(([r])=>r)]])}var le=e=>typeof e==
"string",he=e=>typeof e=="boolean",Pt=e=>typeof e=="string"&&!q.test(e),Et=e=>typeof e=="bigint"?dt(e):typeof e=="number"&&
Number.isFinite(e),ur=e=>b(e)&&Et(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),fe=e=>Array.isArray(e)&&e.every(Pt),
fr=e=>Array.isArray(e)&&e.length>0,$n=e=>he(e)||d(e),An=e=>le(e)&&Ot(e),lr=e=>d(e)&&[...e.keys()].every(Pt),kn=new Map;for(let[
e,t]of[["$ref format $dynamicRef $recursiveRef",le],["type",n=>le(n)||fe(n)],["required",fe],["additionalItems",$n],["it\
ems",n=>$n(n)||Array.isArray(n)],["pattern",An],["patternProperties",n=>d(n)&&[...n.keys()].every(An)],["prefixItems",Array.
isArray],["dependencies dependentSchemas",lr],["properties",d],["enum",Array.isArray],["anyOf oneOf allOf",fr],["minCont\
ains maxContains minItems maxItems minLength maxLength minProperties maxProperties",ur],["nullable uniqueItems",he],["mu\
ltipleOf",n=>b(n)&&Et(n)&&n>0],["dependentRequired",n=>d(n)&&[...n.values()].every(fe)],[It.join(" "),Et]])for(let n of e.
split(" "))kn.set(n,t);function ct(e,t,n){if(kn.get(e)?.(t)===!1)throw new l("E502",`${e} cannot be ${g(t)}`,{pointer:n});
if(e==="properties")for(let s of t.keys())jt(s,n);if(e==="required"&&Array.isArray(t))for(let s of t)jt(s,n)}function jt(e,t){
let n=G.exec(e)?.[0];if(n===void 0)return;let s=n.codePointAt(0).toString(16).toUpperCase().padStart(4,"0");throw new l(
"E502",`${g(e)} cannot be a name: U+${s}`,{pointer:t})}function pe(e){return e===null||he(e)||Pt(e)||Et(e)}function Nt(e,t=0){
return t>64?!1:d(e)?[...e].every(([n,s])=>Pt(n)&&Nt(s,t+1)):Array.isArray(e)?e.every(n=>Nt(n,t+1)):pe(e)}var hr=R("additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluate\
dProperties"),pr=R("allOf anyOf items oneOf prefixItems"),mr=R("$defs definitions dependencies dependentSchemas patternP\
roperties properties"),me="lton:///";function ut({draft:e}){return e<2019}function Lt({draft:e}){return e<6?"id":"$id"}var et=class e{constructor(t,n){
this.resource=t,this.known=n}static of(t){let n=new de(t);return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){
return t===this.resource.schema||!t.has(Lt(this.resource))?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){
let[s,r]=En(this.resource.address,t)??[],i=s===void 0?void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;
throw new l("E504",`no schema here has the name ${JSON.stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=yr(n);if(s===
"")return{target:t.schema,scope:this.in(t)};if(!s.startsWith("/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,
scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split("/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.
isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=d(r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(
r,t)}return{target:r,scope:this.in(t)}}},de=class{constructor(t){this.byAddress=new Map,this.bySchema=new Map,this.root=
Mn(t,{address:"",draft:Tt})}resourceOf(t,n){return this.look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),
this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of dr(this.root))this.byAddress.set(t.address,t),this.bySchema.
set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.root)}}};function dr(e){let t=[e],n=[[e.schema,e]],s=new Set;
for(;n.length;){let[r,i]=n.pop();if(!d(r)||s.has(r))continue;s.add(r);let o=r.get(Lt(i));if(o!=null&&typeof o!="string"&&
Lt(i)==="$id")throw ge();typeof o=="string"&&r!==e.schema&&!(ut(i)&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(
1),r):t.push(i=Mn(r,i)));for(let a of["$anchor","$dynamicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),
a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of gr(r))n.push([a,i])}return t}function Mn(e,t){let{draft:n}=t,s=d(
e)?e.get("$schema"):void 0;if(typeof s=="string"){let o=/draft-0([0-9])|draft\/([0-9]{4})-/.exec(s);n=o?Number(o[1]??o[2]):
Tt}let r=d(e)?e.get(Lt({draft:n})):void 0,i=typeof r=="string"?En(t.address,r)?.[0]:"";if(i===void 0)throw ge();return{address:i,
schema:e,draft:n,anchors:new Map,dynamic:new Map}}function*gr(e){for(let[t,n]of e)if(mr.has(t)&&n!==null){if(!d(n))throw ge();
yield*n.values()}else pr.has(t)&&Array.isArray(n)?yield*n:hr.has(t)&&(yield n)}function ge(){return new l("E502","expect\
ed a schema, found something else in a part of it")}function En(e,t){let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")
return[e,s];try{let r=new URL(n,e.includes(":")?e:me+e).href;return[r.startsWith(me)?r.slice(me.length):r,s]}catch{return null}}
function yr(e){try{return decodeURIComponent(e)}catch{return e}}var ye=1e7,br=20,wr=30,xr=100,$r=R("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),zt=class extends Error{};
function Pn(e,t){let n=et.of(e),s=new be(t);return r=>{let i=new we(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
zt)return{path:[],problem:`it takes more than ${ye} steps to check the arguments`,code:"E506"};if(o instanceof l||o instanceof
RangeError)return w(`the arguments cannot be checked: ${o.message}`);throw o}}}var be=class{constructor(t){this.standard=
t,this.plans=new Map,this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=Ar(t,n,this.
standard),i=[...Tr].filter(([a])=>r.has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedPr\
operties");s={keywords:r,judges:i,asksForMarks:o,isKept:[...r.keys()].some(a=>$r.has(a))},this.plans.set(t,s)}return s}matcher(t){
let n=this.matchers.get(t);return n===void 0&&this.matchers.set(t,n=tt.of(t)),n}},we=class{constructor(t,n,s){this.value=
t,this.known=n,this.formats=s,this.steps=0,this.limit=ye,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=
this.limit)&&(this.limit=ye+br*U(this.value),this.steps>this.limit))throw new zt}}judge(t,n,s,r,i){if(!d(t))return t===!1?
w("nothing is allowed here"):null;this.spend(xr),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.
plan(t,s.resource),a=i===null&&o.isKept?this.keptOf(t,n):null,c=a?.find(([h])=>h.length===r.length&&h.every((y,x)=>y===r[x]));
if(c)return c[1];this.spend(20*o.judges.length);let u=i??(o.asksForMarks?new Set:null),f=new xe(this,o.keywords,s,r,u),m=null;
for(let[[h,y],x]of o.judges)if(h(n)&&(m=y(x,n,f)))break;return a?.push([r,m]),m}keptOf(t,n){let s=this.judged.get(t)??new Map,
r=s.get(n)??[];return s.set(n,r),this.judged.set(t,s),r}},xe=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
scope=s,this.around=r,this.marks=i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.
marks&&new Set,r=this.judge(t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.
judge(t,n);return r&&{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.
at(s)}}at(t){return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.
search(n,this.run.spend)??null}};function w(e){return{path:[],problem:e,code:"E214"}}function U(e){let t=wr;if(typeof e==
"string")t+=$(e);else if(Array.isArray(e))for(let n of e)t+=U(n);else if(typeof e=="object"&&e!==null){let n=e instanceof
Map?e:Object.entries(e);for(let[s,r]of n)t+=$(s)+U(r)}return t}function Y(e){return b(e)?String(X(e)):Array.isArray(e)?`\
[${e.map(Y).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([
n,s])=>`${JSON.stringify(n)}:${Y(s)}`).sort().join()}}`}function Ar(e,t,n){let s=new Map(Rt(e,"",n,t.draft));if(ut(t)&&s.
has("$ref"))return new Map([["$ref",s.get("$ref")]]);Array.isArray(s.get("items"))&&(s.set("prefixItems",s.get("items")),
s.delete("items"),s.has("additionalItems")&&s.set("items",s.get("additionalItems")));for(let[i,o]of s.get("dependencies")??
[]){let a=Array.isArray(o)?"dependentRequired":"dependentSchemas";s.set(a,new Map([...s.get(a)??[],[i,o]]))}for(let[i,o]of s)
ct(i,o,"");let r=s.get("nullable")===!0;return s.delete("nullable"),r?new Map([["anyOf",[s,new Map([["type",["null"]]])]]]):
s}var P=()=>!0,ft=e=>typeof e=="string",W=e=>Array.isArray(e),Or={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>b(
e)&&mt(e),number:b,string:ft,array:W,object:M};function T(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var _t=(e,t)=>(n,s)=>t(
s,n)?null:w(`${s} is not ${e} ${String(n)}`),nt=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:w(`a size of ${i}, not ${e}\
 ${String(s)}`)},Ct=(e,t)=>e>=t,Dt=(e,t)=>e<=t,jn=e=>Object.keys(e).length;function Nn(e){if(typeof e=="bigint")return[e,
0];let[t="",n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-
s-1)]}function Sr(e,t){let[[n,s],[r,i]]=[Nn(e),Nn(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}
var In=(e,t)=>{let n=e.find(s=>!E(t,s));return n===void 0?null:w(`${g(n)} is missing`)},Tn=(e,t,n,s)=>e===!1?w(`${g(n)} \
is not allowed here`):s.inner(e,t[n],n);function Ln(e,t){let n=Math.max(...e.map(r=>r.path.length)),s=e.filter(r=>r.path.
length===n);return s.length===1?s[0]:w(`${g(t)} is allowed by no schema`)}function kr(e,t,n){let s=t.flatMap((o,a)=>n.judge(
e,o)?[]:[a]);for(let o of s)n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;
return r<=s.length&&s.length<=i?null:w(`${s.length} items match \`contains\``)}function Mr(e,t,n){let{target:s,there:r}=n.
lookup(e),i=e.slice(e.lastIndexOf("#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(
a=>a.dynamic.has(i));s=o.dynamic.get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function Er(e,t,n){let{target:s,there:r}=n.
lookup(e),i=o=>d(o)&&o.get("$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=
o.schema,r=r.at(r.scope.in(o))}return r.beside(s,t)}function jr(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)
s.push(i);else if(n.marks===null)return null}return s.length===e.length?Ln(s,t):null}function Nr(e,t,n){let s=e.map(i=>n.
beside(i,t)).filter(i=>i!==null),r=e.length-s.length;return r>1?w(`${g(t)} is allowed by ${r} schemas, not by one`):r?null:
Ln(s,t)}function Ir(e,t,n){n.run.spend(U(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(e.map(Y))),s.get(e).
has(Y(t))}var Tr=new Map([["type",[P,(e,t)=>e.some(n=>Or[n](t))?null:w(`${g(t)} is not of type ${String(e)}`)]],["enum",
[P,(e,t,n)=>Ir(e,t,n)?null:w(`${g(t)} is not listed`)]],["const",[P,(e,t,n)=>(n.run.spend(U(t)+U(e)),Y(t)===Y(e)?null:w(
`${g(t)} is not ${g(e)}`))]],["minimum",[b,_t("at least",Ct)]],["maximum",[b,_t("at most",Dt)]],["exclusiveMinimum",[b,_t(
"more than",(e,t)=>e>t)]],["exclusiveMaximum",[b,_t("less than",(e,t)=>e<t)]],["multipleOf",[b,(e,t)=>Sr(t,e)?null:w(`${t}\
 is not a multiple of ${String(e)}`)]],["minLength",[ft,nt("at least",$,Ct)]],["maxLength",[ft,nt("at most",$,Dt)]],["mi\
nItems",[W,nt("at least",e=>e.length,Ct)]],["maxItems",[W,nt("at most",e=>e.length,Dt)]],["minProperties",[M,nt("at leas\
t",jn,Ct)]],["maxProperties",[M,nt("at most",jn,Dt)]],["pattern",[ft,(e,t,n)=>n.matches(e,t)===!1?w(`${g(t)} does not ma\
tch ${g(e)}`):null]],["format",[ft,(e,t,n)=>{let s=n.run.formats?Mt.get(e):void 0;return s&&n.run.spend(t.length),s?.(t)===
!1?w(`${g(t)} is not a ${String(e)}`):null}]],["required",[M,(e,t)=>In(e,t)]],["dependentRequired",[M,(e,t)=>T(e,([n,s])=>E(
t,n)?In(s,t):null)]],["uniqueItems",[W,(e,t,n)=>(n.run.spend(U(t)),e&&new Set(t.map(Y)).size<t.length?w("an item is ther\
e twice"):null)]],["propertyNames",[M,(e,t,n)=>{let s=T(Object.keys(t),r=>n.judge(e,r));return s&&{...s,path:[]}}]],["ad\
ditionalProperties",[M,(e,t,n)=>{let s=n.keywords.get("properties"),r=[...n.keywords.get("patternProperties")?.keys()??[]],
i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return T(Object.keys(t),o=>i(o)?Tn(e,t,o,n):null)}]],["prefixItems",[W,
(e,t,n)=>T(e.slice(0,t.length).entries(),([s,r])=>n.inner(r,t[s],s))]],["items",[W,(e,t,n)=>{let s=(n.keywords.get("pref\
ixItems")??[]).length;return T(t.slice(s).entries(),([r,i])=>n.inner(e,i,s+r))}]],["contains",[W,kr]],["properties",[M,(e,t,n)=>T(
Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],["patternProperties",[M,(e,t,n)=>T(e,([s,r])=>T(Object.keys(
t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[P,(e,t,n)=>{let{target:s,there:r}=n.lookup(e);return r.beside(s,
t)}]],["$dynamicRef",[P,Mr]],["$recursiveRef",[P,Er]],["allOf",[P,(e,t,n)=>T(e,s=>n.beside(s,t))]],["anyOf",[P,jr]],["on\
eOf",[P,Nr]],["if",[P,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"then")??!0,t)]],["dependentSchemas",[M,(e,t,n)=>T(
e,([s,r])=>E(t,s)?n.beside(r,t):null)]],["not",[P,(e,t,n)=>n.judge(e,t)?null:w(`${g(t)} is what \`not\` excludes`)]],["u\
nevaluatedItems",[W,(e,t,n)=>T(t.entries(),([s,r])=>n.marks.has(s)?null:n.inner(e,r,s))]],["unevaluatedProperties",[M,(e,t,n)=>T(
Object.keys(t),s=>n.marks.has(s)?null:Tn(e,t,s,n))]]]);var Pr=["enum","const","anyOf","oneOf","allOf"],Lr=["properties","additionalProperties","patternProperties","$ref",...Pr],
_r=[...R("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),...It],Cr=R("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),Dr=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],zr=10;function Cn(e,t,n){!n&&d(e)&&(e=
qr(e));let s=new $e(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new l("E502","expected the schema of an obje\
ct",{pointer:t});return{args:r,isChecked:s.isChecked,notes:s.notes}}function qr(e){return Lr.some(n=>(e.get(n)??null)!==
null)?e:new Map([...e,["properties",new Map]])}var $e=class{constructor(t,n,s){this.root=n,this.standard=s,this.isChecked=
!1,this.notes={unmatched:[],unsayable:[],defaulted:[]},this.positions=0,this.texts=0,this.repeated=0,this.steps=0,this.done=
new Map,this.open=new Map,this.mentioned=new Map,this.declared=[],this.scope=et.of(d(t)?t:new Map),this.open.set(t,1)}count(t){
if(this.positions+=t,this.positions+Math.floor(this.repeated/100)>1e5)throw new l("E505",`a schema of more than ${1e5} p\
ositions`,{pointer:this.root})}countTexts(t,n){this.texts+=t,n&&(this.repeated+=t),this.count(0)}mention(t,n){this.mentioned.
set(t,[...this.mentioned.get(t)??[],...n])}apart(t){let{mentioned:n,declared:s}=this;this.mentioned=new Map,this.declared=
[];let r={type:t(),mentioned:this.mentioned};return this.mentioned=n,this.declared=s,r}position(t,n,s,r){this.steps+=1;let{
type:i,mentioned:o}=this.apart(()=>this.schema(t,n,s,r));this.steps-=1;let{object:a}=i;if(a?.extra!==O)return i;let u=[...o.
keys()].filter(f=>!a.byName.has(f)).map(f=>({name:f,type:B(o.get(f)).type,required:!1,description:""}));return new A({...i,
object:new S([...a.params,...u])})}schema(t,n,s,r){if(r>64)throw new l("E301",`nested deeper than ${64}`,{pointer:n});if(this.
count(1),typeof t=="boolean")return t?p:Kt;if(!d(t))throw new l("E502",`expected a schema, found ${g(t)}`,{pointer:n});s=
s.inside(t);let i=new Ae(this,Rt(t,n,this.standard,s.resource.draft),n,s,r);i.look();try{let o=i.compile();return I(o,p)?
p:o}catch(o){throw!(o instanceof l)||o.pointer!==void 0?o:new l(o.code,o.problem,{pointer:n})}}},Ae=class{constructor(t,n,s,r,i){
this.run=t,this.keywords=n,this.place=s,this.scope=r,this.depth=i}at(...t){return this.place+Z(t)}inner(t,...n){return this.
run.position(t,this.at(...n),this.scope,this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.
depth+1)}all(t){return(this.keywords.get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??
new Map}look(){for(let[t,n]of this.keywords)ct(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.
match([...n.keys()],t):t==="format"?this.run.isChecked||=!this.run.standard&&Mt.has(n):Cr.has(t)&&!(t==="uniqueItems"&&n===
!1)&&(this.run.isChecked=!0)}match(t,n){let s=t.map(r=>tt.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),
0)/zr)),s.includes(null)?this.run.notes.unmatched.push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,
s=[];if(t.has("$ref")&&(s.push(this.referenced(t.get("$ref"))),ut(this.scope.resource)))return s[0];let r=this.kinds();r&&
s.push(this.byKind(r));let i=n.declared;n.declared=[...i,...s.flatMap(a=>a.object?.byName??[])],t.has("enum")&&s.push(this.
listed("enum",t.get("enum"))),t.has("const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])
t.has(a)&&s.push(this.union(a));s.push(...this.all("allOf")),n.declared=i;let o=ot(s);return this.mention(),this.checkHidden(),
t.get("nullable")?B([o,new A({null:!0})]).type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.
scope.lookup(t,s);if(n.open.has(r)){if(n.open.get(r)===n.steps)throw new l("E504","the reference names itself",{pointer:s});
return n.isChecked=!0,p}let o=n.done.get(r);if(o)n.count(o.positions),n.countTexts(o.texts,!0);else{t.startsWith("#/")&&
(s=n.root+t.slice(1));let{positions:a,texts:c}=n;n.open.set(r,n.steps);let u=n.apart(()=>n.schema(r,s,i,this.depth+1));n.
open.delete(r),o={...u,positions:n.positions-a,texts:n.texts-c},n.done.set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);
return o.type}union(t){let n=this.all(t),s=an(n,this.run.declared),r=B(s);return(!r.isExact||s!==n||t==="oneOf"&&cn(n))&&
(this.run.isChecked=!0),r.type}mention(){let t=[];for(let n of["if","then","else"])this.keywords.has(n)&&t.push(this.beside(
this.keywords.get(n),n));for(let n of["dependentSchemas","dependencies"])for(let[s,r]of this.members(n))Array.isArray(r)||
t.push(this.beside(r,n,s));for(let{object:n}of t)for(let s of n?.params??[])this.run.mention(s.name,[s.type])}checkHidden(){
this.keywords.has("not")&&this.beside(this.keywords.get("not"),"not");for(let t of["contains","propertyNames","unevaluat\
edItems","unevaluatedProperties"])this.keywords.has(t)&&this.inner(this.keywords.get(t),t)}listed(t,n){let s=n.filter(Br);
s.length<n.length&&this.run.notes.unsayable.push(this.at(t));let r=s.filter(u=>typeof u=="object"&&u!==null);r.length&&(this.
run.isChecked=!0);let i=s.filter(u=>typeof u!="object"||u===null),o=i.find(u=>!pe(u));if(o!==void 0)throw new l("E502",`\
a label cannot be ${g(o)}`,{pointer:this.at(t)});let a=i.filter(b),c=i.filter(u=>typeof u=="string");return this.run.countTexts(
c.reduce((u,f)=>u+$(f),9*s.length),!1),new A({null:i.includes(null),booleans:[!1,!0].filter(u=>i.includes(u)),number:a.length?
new j({integer:a.every(u=>typeof u=="bigint"),values:a}):null,string:c.length?new N({values:[...new Set(c)]}):null,array:r.
some(Array.isArray)?p.array:null,object:r.some(d)?p.object:null})}kinds(){let{keywords:t}=this;if(t.has("type"))return t.
get("type");if(!_r.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:Dr.find(([s])=>t.has(s));return n?[n[1]]:
["null","boolean","number","string","array","object"]}byKind(t){let n=t.includes("number")||t.includes("integer");return new A(
{null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?this.number(!t.includes("number")):null,string:t.
includes("string")?new N({min:this.size("minLength")??0,max:this.size("maxLength")}):null,array:t.includes("array")?this.
array():null,object:t.includes("object")?this.object():null})}number(t){let n=It.map(s=>[s,this.keywords.get(s)]);return new j(
{integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.has(t)?Number(this.keywords.get(t)):void 0}array(){let t=this.
keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.isChecked=!0);let s=n?t:this.keywords.get("prefixItems")??[],r=n?
this.keywords.get("additionalItems")??!0:t,i=s.map((a,c)=>this.inner(a,n?"items":"prefixItems",c)),o=this.size("maxItems");
return r===!1&&(o=Math.min(o??1/0,s.length)),(r!==!1||!s.length)&&i.push(this.inner(r,n?"additionalItems":"items")),new C(
B(i).type,this.size("minItems")??0,o)}object(){let t=new Set(this.keywords.get("required")??[]),n=this.members("properti\
es"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),i=s===O?p:s??Kt,o=[...t].filter(a=>!n.has(a));return this.
run.count(o.length),new S([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],s)}extra(){let{keywords:t}=this,
n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.members("patternProperties");
for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedProperties")??!1)!==!1;return n===
void 0&&(this.run.standard||i)?p:n===void 0&&!s.length?t.has("properties")?O:p:n===!1&&!r.size?null:B(s).type}param(t,n,s){
let r=this.inner(n,"properties",t),i=d(n)?n:new Map,o=!1,a=i.get("$ref");if(typeof a=="string"&&a&&!i.get("description")){
let{target:h}=this.scope.inside(i).lookup(a,this.at("properties",t,"$ref"));o=d(h),d(h)&&(i=new Map([...h,...i]))}let c=i.
get("default"),u=i.get("description"),f=typeof u=="string"?u:"",m=c!==void 0&&Nt(c)?c:void 0;return s&&m!==void 0&&this.
run.notes.defaulted.push(this.at("properties",t)),this.run.countTexts($(f)+(m===void 0?0:U(m)),o),{name:t,type:r,required:s,
description:f,default:m}}};function Br(e){return typeof e!="string"||!q.test(e)}var Ur=["parameters","input_schema","inputSchema"],Hr=["properties","$ref","allOf","anyOf","oneOf"],Dn=8,qt=class e{constructor(t,n=[],s=[],r=[]){
if(this.tools=t,this.unmatched=n,this.unsayable=s,this.defaulted=r,this.prints=new Map,this.byName=new Map(t.map(i=>[i.alias||
i.name,i])),this.byName.size<t.length||new Set(t.map(i=>i.name)).size<t.length)throw new l("E503","two tools have one na\
me",{pointer:""})}static from(t,{standard:n=!1}={}){let s=typeof t=="string"?pt(t):Ie(t),r=d(s)?s.get("tools")??[s]:s;if(!Array.
isArray(r))throw new l("E502",`expected tool definitions, found ${g(r)}`,{pointer:""});let i={unmatched:[],unsayable:[],
defaulted:[]},o=r.map((a,c)=>Wr(a,`/${c}`,n,i));return new e(o,i.unmatched,i.unsayable,i.defaulted)}toString(){let t=this.
tools.slice(0,Dn).map(n=>n.name);return`<ToolSet of ${this.tools.length}: ${[...t,...this.tools.length>Dn?["\u2026"]:[]].
join(", ")}>`}get fingerprint(){return Vt(this.tools)}fingerprintOf(t){let n=this.prints.get(t.name)??Vt([t]);return this.
prints.set(t.name,n),n}prompt(t={}){return Ve(this.tools,t)}get signatures(){return this.tools.map(t=>Zt(t))}};function Wr(e,t,n,s){
let r=d(e)?e.get("function"):void 0;if(d(r)&&([e,t]=[r,`${t}/function`]),!d(e))throw new l("E502","expected a tool defin\
ition",{pointer:t});let i=!e.has("name")&&Hr.some(m=>e.has(m)),o=e.get(i?"title":"name");if(typeof o!="string"||!o)throw new l(
"E502",`expected the name of a tool, found ${g(o)}`,{pointer:t});jt(o,t);let a=Ur.find(m=>(e.get(m)??null)!==null),c=i?e:
new Map([["type","object"]]);!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),!n&&d(c)&&(c=Sn(c));let u=Cn(c,t,n);s.unmatched.push(
...u.notes.unmatched),s.unsayable.push(...u.notes.unsayable),s.defaulted.push(...u.notes.defaulted);let f=e.get("descrip\
tion");return{name:o,alias:"",description:typeof f=="string"?f:"",args:u.args,check:u.isChecked?Pn(c,n):null}}function z(e,t,n){return new l(e,t,{path:Z(n)})}function zn(e,t){if(typeof e=="string"){if(q.test(e))throw z("E401","U+0\
000 or a lone surrogate in a text",t)}else if(typeof e=="bigint"){if(!dt(e))throw z("E302",`an integer of more than ${4096}\
 digits`,t)}else if(typeof e=="number"?!Number.isFinite(e):!Gr(e))throw z("E401",`expected a value of JSON, found ${typeof e==
"number"?e:Object.prototype.toString.call(e).slice(8,-1)}`,t)}function*qn(e,t){for(let[n,s]of e instanceof Map?e:Object.
entries(e)){if(typeof n!="string"||q.test(n))throw z("E401","this cannot be a name",t);s!==void 0&&(yield[n,s])}}function Gr(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}function Bn(e,t,n,s){if(!e.length||!e.every(Oe))return null;let r=e.map(m=>Object.keys(m)),i=r.reduce((m,h)=>m+h.length,
0),o=new Set(r.flat()).size;if(o+(o*e.length-i)>=i)return null;let a=Un(e,t,s),c=a.flatMap(m=>m.cells),u=e.map((m,h)=>{let y=c.
map(x=>x[h]);for(;y.at(-1)==="_";)y.pop();return Q([...n.slice(h,h+1),...y])}),f=`(${Q(a.map(m=>m.head))})`;return s?`${e.
length}${f}
${u.join(`
`)}`:`${f}${u.join(";")}`}function Un(e,t,n){let s=t.inner(),r=new Set(e.flatMap(o=>Object.keys(o))),i=(n?[...r]:L(r)).map(
o=>{let a=e.map(u=>E(u,o)?u[o]:void 0);if(s&&Xr(a)){let u=Un(a,s,n);return{order:2,head:`${_(o)}(${Q(u.map(f=>f.head))})`,
cells:u.flatMap(f=>f.cells)}}let c=a.map(u=>u===void 0?"_":t.write(u));return{order:Jr(c.filter((u,f)=>a[f]!==void 0)),head:_(
o),cells:[c]}});return n?i:i.sort((o,a)=>o.order-a.order)}function Oe(e){return typeof e=="object"&&e!==null&&!Array.isArray(
e)}function Xr(e,t=2){let[n]=e;if(!Oe(n))return!1;let s=Object.keys(n);return s.length>=t&&e.every(r=>Oe(r)&&Object.keys(
r).length===s.length&&s.every(i=>E(r,i)))}function Jr(e){return e.some(t=>"\"'`[({".includes(t[0]))?2:e.every(t=>"-01234\
56789".includes(t[0]))?0:1}function Kr(e){if(typeof e!="object"||e===null)throw new l("E401","expected a call or an answer",{path:""});let{name:t,arguments:n}="\
function"in e?e.function:"input"in e?{name:e.name,arguments:e.input}:e;if(n===void 0)return e;if(typeof n!="string")return{
name:t,arguments:n};let s;try{s=pt(n||"{}")}catch(r){throw new l("E401",`expected JSON as the arguments: ${r.problem}`,{
path:""})}if(!(s instanceof Map))throw new l("E401","expected an object as the arguments",{path:""});return{name:t,arguments:Se(
s)}}function Se(e){if(Array.isArray(e))return e.map(Se);if(!(e instanceof Map))return e;let t=Ft();for(let[n,s]of e)t[n]=
Se(s);return t}function Hn(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!_e.includes(s))throw new l("E401",`no form\
 has the name ${String(s)}`);let i=new ke(t,s,n),o=null;return[e].flat().map(c=>{let u=Kr(c);if(!("arguments"in u))return i.
answer(u);let f=i.call(u,r?null:o);return o=u.name,(r&&s!=="tagged"?Gt:"")+f}).join(`
`)}var ke=class e{constructor(t,n,s,r=!1){this.tools=t,this.form=n,this.options=s,this.onLines=r,this.isPunctuated=n==="\
punctuated",this.isExact=s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new l(
"E212",`without tools, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=Wn(t.arguments,i?.args??bt,
0,[]),a=i?.check?.(o);if(a)throw new l(a.code,a.problem,{path:Z(a.path)});let c=_(i?.alias||t.name)+(this.options.fingerprint&&
s&&i?`#${s.fingerprintOf(i)}`:"");if(r==="tagged")return`${Gt}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,p))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let f=r==="wire"&&t.name===n?"&":c;return u.length?`${f} ${this.row(u)}`:f}answer(t){return(t.
error&&!t.name?ze:`${t.error?De:Ce}${this.answerName(t.name)} `)+new e(null,"wire",this.options,this.options.lines).value(
Me(t.value,p,0,[]),p)}answerName(t){return _(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||
q.test(t))throw new l("E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)
return n;throw new l("E201",`no tool ${F(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):Q(t)}members(t,n){
let{row:s,keyed:r}=this.form==="wire"?n.arrange(t):{row:[],keyed:n.inOrder(t)},i=s.map(o=>o?this.value(t[o.name],o.type):
"_");for(let o of r)i.push(`${_(o)}=${this.value(t[o],n.typeOf(o)??p)}`);return i}pairs(t,n){let s=Object.keys(t);return(this.
onLines?s:L(s)).map(r=>`${_(r)} ${this.value(t[r],n)}`)}value(t,n){if(typeof t=="string")return Ue(t,n.takesBare(t)&&(n.
hasLabels||!this.isPunctuated),this.isPunctuated);if(typeof t=="number")return this.number(t);if(typeof t!="object"||t===
null)return String(t);if(Array.isArray(t)){let o=n.array?.items??p,a=this.onLines?new e(null,"wire",this.options):this,c=()=>this.
row(t.map(u=>a.value(u,o)));return`[${a.table(t,o,[],this.onLines)??c()}]`}let s=n.object??bt;if(!s.isMap)return`(${this.
row(this.members(t,s))})`;let r=L(Object.keys(t));return`{${(this.onLines?null:this.table(r.map(o=>t[o]),s.extra,r.map(_)))??
this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(t,-0)?String(t):J(
t)}table(t,n,s=[],r=!1){return this.isPunctuated||!n.object?.isMap?null:Bn(t,this.cells(n.object.extra),s,r)}cells(t){return{
write:n=>this.value(n,t),inner:()=>t.object?.isMap?this.cells(t.object.extra):null}}groups(t,n){let{row:s,keyed:r}=n?.arrange(
t)??{row:[],keyed:L(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||!r.length?[`(${i.join(" ")}\
)`]:[];for(let a of r)o.push(`(${Jt(a)} ${this.atom(t[a],n?.typeOf(a)??p)})`);return o.join(`
`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return v(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return v(
"b",String(t));if(typeof t=="bigint")return v(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return v(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??p)).join(" ")}]`;let s=n.
object??bt;return`{${s.inOrder(t).map(r=>`${Jt(r)} ${this.atom(t[r],s.typeOf(r)??p)}`).join(" ")}}`}};function Me(e,t,n,s){
zn(e,s);let r=t.refuse(e);if(r)throw z(r[0],`expected ${r[1]}, found ${g(e)}`,s);if(typeof e!="object"||e===null)return e;
if(n>=64)throw z("E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>Me(i,t.array.items,n+1,
[...s,o])):Wn(e,t.object,n+1,s)}function Wn(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw z("E401","e\
xpected an object of arguments",s);let r=Ft();for(let[i,o]of qn(e,s)){let a=t.typeOf(i);if(!a)throw z("E202",`no paramet\
er ${F(i)}`,s);r[i]=Me(o,a,n,[...s,i])}for(let{name:i}of t.needs)if(!E(r,i))throw z("E205",`${F(i)} is required`,s);return r}return Yn(Yr);})();
