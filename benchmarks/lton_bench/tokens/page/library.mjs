// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var Pt=Object.defineProperty;var In=Object.getOwnPropertyDescriptor;var Tn=Object.getOwnPropertyNames;var Rn=Object.prototype.hasOwnProperty;var Pn=(e,t)=>{for(var n in t)Pt(e,n,{get:t[n],enumerable:!0})},Ln=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of Tn(t))!Rn.call(e,r)&&r!==n&&Pt(e,r,{get:()=>t[r],enumerable:!(s=In(t,r))||s.enumerable});return e};var _n=e=>Ln(Pt({},"__esModule",{value:!0}),e);var _r={};Pn(_r,{LtonError:()=>h,Toolset:()=>Rt,encode:()=>Mn,sorted:()=>D});var h=class extends Error{constructor(t,n,s={}){let r=s.pos===void 0?s.path||s.pointer:`position ${s.pos}`;super(`${n}${r?
` (${r})`:""} [${t}]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,s)}};function tt(e){let t="";
for(let n of e)t+=`/${String(n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function g(e){let t;return typeof e==
"string"?t=JSON.stringify(e.slice(0,41)):e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an arr\
ay":"an object",t.length>40?`${t.slice(0,40)}\u2026`:t}var Lt=1e3,Cn=1e5,K=/[ \t\n\r]*/y,ge=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,Dn=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
zn=/true|false|null/y,Bn=new Map([["true",!0],["false",!1],["null",null]]);function ye(e){let t=new _t(e),n=t.value(0);if(t.
pos<e.length)throw t.unexpected("the end of the text");return n}var _t=class{constructor(t){this.text=t,this.pos=0}value(t){
if(this.match(K),t>Lt)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(K),n}unspaced(t){let n=this.
match(ge);if(n)return JSON.parse(n[0]);let s=this.match(Dn);if(s)return this.number(s);let r=this.match(zn);if(r)return Bn.
get(r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a va\
lue")}number([t,n,s]){if(n||s)return Number(t);if(t.length>Cn)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(
t)}array(t){let n=[];if(this.match(K),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip(
"]"))throw this.unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(K),this.skip("}"))return n;do{
this.match(K);let s=this.match(ge);if(!s)throw this.unexpected("a key in double quotes");if(this.match(K),!this.skip(":"))
throw this.unexpected("a colon");n.set(JSON.parse(s[0]),this.value(t))}while(this.skip(","));if(!this.skip("}"))throw this.
unexpected("a comma or }");return n}skip(t){return this.text[this.pos]!==t?!1:(this.pos+=1,!0)}match(t){t.lastIndex=this.
pos;let n=t.exec(this.text);return n&&(this.pos+=n[0].length),n}unexpected(t){let[n=""]=this.text.slice(this.pos,this.pos+
2),s=n?JSON.stringify(n):"the end of the text";return new h("E502",`expected ${t}, found ${s}`,{pos:this.pos})}};function be(e){
return we(e,new Map,0)}function we(e,t,n){if(typeof e=="number")return Number.isInteger(e)&&!Object.is(e,-0)?BigInt(e):e;
if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="object")throw new h("E502",`a ${typeof e}\
 is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new h("E502","a definition contains itself");return i}if(n>
Lt)throw new h("E301",`nested deeper than ${Lt}`);t.set(e,void 0);let s=i=>we(i,t,n+1),r=Array.isArray(e)?e.map(s):new Map(
[...qn(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,r),r}function qn(e){return e instanceof Map?
e:Object.entries(e)}var xe=10n**BigInt(4095),U=/[\0\ud800-\udfff]/u,Y=/[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u,
Un=/[\ud800-\udfff]/,Hn=/[\ud800-\udbff][\udc00-\udfff]/g;function x(e){return Un.test(e)?e.length-(e.match(Hn)?.length??
0):e.length}function M(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)}function y(e){return typeof e=="number"||
typeof e=="bigint"}function ft(e){return typeof e=="bigint"||Number.isInteger(e)}function ht(e){return-xe<e&&e<xe}function F(e){
if(typeof e=="number")return Number.isInteger(e)&&!Number.isSafeInteger(e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(
t)?t:e}function Ae(){return Object.create(null)}var Wn=Object.prototype.hasOwnProperty;function T(e,t){return Wn.call(e,
t)}function D(e){return[...e].sort(Fn)}function Fn(e,t){let n=Math.min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[
e.charCodeAt(s),t.charCodeAt(s)];if(r!==i)return r>=55296&&i>=55296?$e(r)-$e(i):r-i}return e.length-t.length}function $e(e){
return e<57344?e+65536:e}var Oe=["wire","keyed","punctuated","tagged"],Dt="!call ",ke="!result ",Me="!error ",Ee="!error: ";var je=/^[A-Za-z0-9_./-]+$/,Gn=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,Ne=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;var Xn=/[\n\r]/,Jn=/(?:^|\n)(`{3,})/g,Kn=['"',"'","`"],Yn=1,Zn=2,Vn=4,Ct=new Uint8Array(128);for(let e=0;e<128;e+=1){let t=String.
fromCharCode(e);/[A-Za-z0-9_./-]/.test(t)&&(Ct[e]|=Yn),/[A-Za-z0-9_./:@+*-]/.test(t)&&(Ct[e]|=Zn),/[0-9]/.test(t)&&(Ct[e]|=
Vn)}function Ie(e){return je.test(e)}var Qn=/["'`)\]}]$/,vn=/^[A-Za-z]/;function et(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(Qn.test(e[n-
1])&&!vn.test(s)?",":" ")+s}return t}function $(e){return je.test(e)?e:Te(e)??Re(e)}function zt(e){return e==="n"||e==="\
_"?`"${e}"`:$(e)}function nt(e,t,n=!1){return t&&Gn.test(e)?e:Te(e)??(n?Re(e):Z("s",e))}function Z(e,t){return`${e}${x(t)}\
:${t}`}function Te(e){if(Xn.test(e))return null;let t=Kn.find(n=>!e.includes(n));return t?t+e+t:null}function Re(e){let t=2;
for(let[,s]of e.matchAll(Jn))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function G(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var E=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
F)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get noun(){return this.integer?"an integer":
"a number"}refuse(t){if(this.integer&&!ft(t))return["E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.
listed.has(F(t)))return["E204",Le(this.values.map(G))];let n=this.broken(t);return n?["E208",`${this.noun} of ${n}`]:null}broken(t){
return this.minimum!==void 0&&!(t>=this.minimum)?`at least ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`a\
t most ${this.maximum}`:this.exclusiveMinimum!==void 0&&!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:
this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?`less than ${this.exclusiveMaximum}`:""}},j=class{constructor({
min:t=0,max:n,values:s}={}){this.min=t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=t===0&&n===void 0&&
s===void 0}get noun(){return this.values?Le(this.values.map(t=>JSON.stringify(t))):"a string"}refuse(t){if(this.isOpen)return null;
if(this.listed&&!this.listed.has(t))return["E204",this.noun];let n=_e(x(t),this.min,this.max);return n?["E208",`a string\
 of ${n} characters`]:null}},L=class{constructor(t,n=0,s=void 0){this.items=t,this.min=n,this.max=s}refuse(t){let n=_e(t.
length,this.min,this.max);return n?["E208",`an array of ${n} items`]:null}},O=class{constructor(t=[],n=null){this.extra=
n,this.needs=t.filter(s=>s.required),this.params=[...this.needs,...t.filter(s=>!s.required)],this.byName=new Map(this.params.
map(s=>[s.name,s])),this.isMap=t.length===0&&n!==null}typeOf(t){return this.byName.get(t)?.type??this.extra}inOrder(t){return[
...this.params.map(s=>s.name).filter(s=>T(t,s)),...D(Object.keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.
params.map(o=>T(t,o.name)?o:null);for(;n.length&&n.at(-1)===null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).
length;s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(
o=>!i.has(o))}}},A=class{constructor(t={}){this.null=t.null??!1,this.booleans=t.booleans??[],this.number=t.number??null,
this.string=t.string??null,this.array=t.array??null,this.object=t.object??null,this.isWordy=this.string!==null&&!this.null&&
this.booleans.length===0}get hasLabels(){return this.string?.values!==void 0}takesBare(t){return!(this.null&&t==="null"||
this.booleans.length>0&&(t==="true"||t==="false")||this.number!==null&&Ne.test(t))}refuse(t){return typeof t=="string"?this.
string?this.string.refuse(t):this.wrongKind():y(t)?this.number?this.number.refuse(t):this.wrongKind():t===null?this.null?
null:this.wrongKind():typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():Array.isArray(t)?this.array?this.
array.refuse(t):this.wrongKind():this.object?null:this.wrongKind()}wrongKind(){return["E203",this.noun]}get noun(){return[
this.string?.noun,this.number?.noun,this.array&&"an array",this.object&&"an object",this.booleans.join(" or "),this.null&&
"null"].filter(Boolean).join(" or ")||"nothing"}};function ts(){let e=new A({null:!0,booleans:[!1,!0],number:new E({integer:!1}),
string:new j});return Object.assign(e,{array:new L(e),object:new O([],e)})}var l=ts(),lt=l.object,S=new A({...l}),Bt=new A,
Pe=8;function Le(e){if(e.length===1)return e[0];let t=e.length>Pe?`, \u2026 (${e.length} in all)`:"";return`one of ${e.slice(
0,Pe).join(", ")}${t}`}function _e(e,t,n){return e<t?`at least ${t}`:n!==void 0&&e>n?`at most ${n}`:""}function N(e,t){return e===t||e.null===t.null&&Ce(e.booleans,t.booleans)&&H(e.number,t.number)&&H(e.string,t.string)&&H(
e.array,t.array)&&H(e.object,t.object)}function H(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof O&&
t instanceof O)return es(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max"].every(r=>n[r]==s[r])&&Ce(e.values,t.values)&&(!(e instanceof L)||N(e.items,t.items))}function es(e,t){if(e.
params.length!==t.params.length||e.extra===null!=(t.extra===null))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.
required&&N(s.type,r.type);return e.params.every((s,r)=>n(s,t.params[r]))&&(e.extra===null||N(e.extra,t.extra))}function Ce(e,t){
return e===t||e!==void 0&&t!==void 0&&e.length===t.length&&e.every((n,s)=>n==t[s])}var st=[];for(let e=2;st.length<64;e+=1)st.every(t=>e%t)&&st.push(e);var De=e=>e%1*2**32|0,ns=st.slice(0,8).map(e=>De(Math.
sqrt(e))),ss=st.map(e=>De(Math.cbrt(e))),_=(e,t)=>e>>>t|e<<32-t;function ze(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...ns],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)rs(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function rs(e,t,n,s){for(let p=0;p<64;p+=1)if(p<16)n[p]=e.getInt32(
t+4*p);else{let[w,C]=[n[p-15],n[p-2]],jn=_(w,7)^_(w,18)^w>>>3,Nn=_(C,17)^_(C,19)^C>>>10;n[p]=n[p-16]+jn+n[p-7]+Nn}let[r,
i,o,a,c,u,f,d]=s;for(let p=0;p<64;p+=1){let w=d+(_(c,6)^_(c,11)^_(c,25))+(c&u^~c&f)+ss[p]+n[p]|0,C=(_(r,2)^_(r,13)^_(r,22))+
(r&i^r&o^i&o)|0;[d,f,u,c,a,o,i,r]=[f,u,c,a+w|0,o,i,r,w+C|0]}[r,i,o,a,c,u,f,d].forEach((p,w)=>s[w]=s[w]+p|0)}var is=new Set(["any","bool","false","int","never","null","num","str","true"]),pt="...",os="str|num|bool|[any]|{any}|nul\
l";function Ut(e,t=!0){return Wt(e)+new rt(t).members(e.args)}function Ht(e){let t=e.map(n=>Ut(n,!1)).map(n=>[[...n].map(
s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>as(n,s)),ze(t.map(([,n])=>n).join(`
`)).slice(0,8)}function as(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function Wt(e){
return e.alias?`${$(e.alias)}=${$(e.name)}`:$(e.name)}function mt(e){return e===pt?`"${e}"`:$(e)}var rt=class{constructor(t=!0){
this.defaults=t}members(t){return`(${this.parts(t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(
s),s]);return t.extra?[...n,[`${pt}:${this.type(t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=mt(t.name)+(t.required?
"":"?")+(n==="str"?"":`:${n}`);return this.defaults&&t.default!==void 0&&t.default!==null?`${s}=${qt(t.default)}`:s}type(t){
if(N(t,l))return"any";let{string:n,number:s,booleans:r,array:i,object:o}=t,a=[];n&&a.push(...n.values?n.values.map(cs):[
"str"]),s&&a.push(...s.values?s.values.map(G):[s.integer?"int":"num"]),r.length&&a.push(r.length>1?"bool":String(r[0])),
i&&a.push(`[${this.type(i.items)}]`),o&&a.push(o.isMap?`{${this.type(o.extra)}}`:this.object(o)),t.null&&a.push("null");
let c=a.join("|")||"never";return c===os?"any":c}object(t){return this.members(t)}};function cs(e){return nt(e,l.takesBare(
e)&&!is.has(e)&&!e.startsWith("@"))}function qt(e){return typeof e=="string"?nt(e,l.takesBare(e)):y(e)?G(e):Array.isArray(
e)?`[${e.map(qt).join(" ")}]`:e instanceof Map?`{${[...e].map(([t,n])=>`${$(t)} ${qt(n)}`).join(" ")}}`:String(e)}var us=20,fs=/[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,hs=new RegExp(Y,"gu"),Ft="Tools: \
name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default; a|b is \
a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",ls={wire:`${Ft} its name and the val\
ues in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key\
 value}; _ for what you leave out, or name=value.`,keyed:`${Ft} its name, then name=value for each, with spaces between;\
 "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${Ft} name(par\
ameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function qe(e,{descriptions:t=!0,
primer:n}={}){let s=new Gt(t),r=[...s.define(e.map(o=>o.args)),...e.map(o=>s.tool(o))],i=n&&ls[n];return[...i?[i]:[],...r].
join(`
`)}var Gt=class e extends rt{constructor(t){super(),this.descriptions=t,this.names=new Map}tool(t){let n=Wt(t);if(!this.
descriptions)return n+this.members(t.args);let s=[Be(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${Be(r,
i?.description??"")}`),i&&s.push(...this.inside(i.type,mt(i.name)));return s.join(`
`)}define(t){let n=t.flatMap(o=>[...Ue(o,"")]).map(([o,a])=>({name:o,node:a,text:this.text(a)})),s=new Map;for(let{text:o}of n)
s.set(o,(s.get(o)??0)+1);let r=new Set,i=[];for(let{name:o,node:a,text:c}of n){if(s.get(c)<2||[...c].length<us||this.names.
has(c))continue;let u=this.members(a),f=Ie(o)?o:"object",d=f;for(let p=2;r.has(d);p+=1)d=`${f}${p}`;r.add(d),this.names.
set(c,`@${d}`),i.push([`@${d}=${u}`,...this.descriptions?this.about(a,""):[]].join(`
`))}return i}object(t){return this.names.size&&this.names.get(this.text(t))||super.object(t)}text(t){let n=new e(!0);return[
n.members(t),...this.descriptions?n.about(t,""):[]].join(`
`)}inside(t,n){if(t===l)return[];let s=t.array?this.inside(t.array.items,n):[],{object:r}=t;return r&&!(this.names.size&&
this.names.has(this.text(r)))&&s.push(...this.about(r,`${n}.`)),s}about(t,n){let s=t.params.flatMap(r=>{let i=n+mt(r.name),
o=He(r.description);return[...o?[`  ${i} ${o}`]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.inside(t.extra,
n+pt)]:s}};function*Ue(e,t){for(let n of e.params)yield*Xt(n.type,n.name);e.extra&&(yield*Xt(e.extra,t))}function*Xt(e,t){
e!==l&&(e.array&&(yield*Xt(e.array.items,t)),e.object&&(yield*Ue(e.object,t),e.object.params.length&&(yield[t,e.object])))}
function Be(e,t){let n=He(t);return n?`${e} ${n}`:e}function He(e){return e.split(fs).filter(Boolean).join(" ").replace(
hs,"\uFFFD")}var We=1e6;function z(e){if(e.some(r=>N(r,l)))return{type:l,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(u=>u!==null);if(o.
every(u=>H(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>H(u,a)),a};return{type:new A({null:e.some(r=>r.
null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),ps),string:n(e.map(r=>r.
string),ms),array:n(e.map(r=>r.array),ds),object:n(e.map(r=>r.object),gs)}),isExact:t}}function ps(e){let t=e.every(i=>i.
integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[F(o),o]));return[new E({integer:t,
values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new E({integer:t}),!1];let n=i=>{let o=e.map(a=>a[i]);
return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?Fe:Ge)},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n(
"exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new E({integer:t,...s,...r}),!1]}var Fe=(e,t)=>t<e?t:
e,Ge=(e,t)=>t>e?t:e;function ms(e){return e.every(t=>t.values)?[new j({values:[...new Set(e.flatMap(t=>t.values))]}),!0]:
e.some(t=>t.values)?[new j,!1]:[new j({min:Math.min(...e.map(t=>t.min)),max:Xe(e)}),!1]}function ds(e){let t=z(e.map(n=>n.
items)).type;return[new L(t,Math.min(...e.map(n=>n.min)),Xe(e)),!1]}function Xe(e){let t=e.map(n=>n.max);return t.includes(
void 0)?void 0:Math.max(...t)}function Je(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):
void 0}function Ke(e,t){let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);if(n.size*
t.length>We)throw new h("E505",`objects combine to over ${We} members`);return n}function gs(e){let t=e.filter(r=>r.extra!==
null&&r.extra!==S),n=[...Ke(e,t)].map(([r,i])=>{let o=t.filter(c=>!c.byName.has(r)).map(c=>c.extra),a=z([...i.map(c=>c.type),
...o]).type;return{...i[0],type:a,required:i.length===e.length&&i.every(c=>c.required)}}),s=null;return t.length?s=z(t.map(
r=>r.extra)).type:e.some(r=>r.extra===S)&&(s=S),[new O(n,s),!1]}function Ye(e,t){let n=e.map(o=>o.object).filter(o=>o?.extra===
S),s=new Map;for(let o of n)for(let a of o.byName.keys())s.set(a,(s.get(a)??0)+1);let r=([o,a])=>a<n.length&&t.some(c=>c.
has(o)),i=new Set([...s].filter(r).map(([o])=>o));return i.size?e.map(o=>o.object?.extra!==S?o:new A({...o,object:new O(
o.object.params.filter(a=>!i.has(a.name)),S)})):e}function Ze(e){let t=r=>e.filter(r).length,n=e.flatMap(r=>r.booleans),
s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.length>1&&(i.some(a=>!a.values)||new Set(o.map(String)).
size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||s(e.map(r=>r.number))||s(e.map(r=>r.string))||t(r=>r.array)>
1||t(r=>r.object)>1}function it(e){let t=e.filter(s=>!N(s,l));if(t.length<2)return t[0]??l;let n=(s,r)=>{let i=s.filter(
o=>o!==null);return i.length<s.length?null:i.every(o=>H(o,i[0]))?i[0]:r(i)};return new A({null:t.every(s=>s.null),booleans:[
!1,!0].filter(s=>t.every(r=>r.booleans.includes(s))),number:n(t.map(s=>s.number),ys),string:n(t.map(s=>s.string),bs),array:n(
t.map(s=>s.array),ws),object:n(t.map(s=>s.object),xs)})}function ys(e){let t=e.some(c=>c.integer),n=c=>{let u=e.map(f=>f[c]).
filter(f=>f!==void 0);return u.length?u.reduce(/min/i.test(c)?Ge:Fe):void 0},s={minimum:n("minimum"),maximum:n("maximum")},
r={exclusiveMinimum:n("exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")},i=new E({integer:t,...s,...r}),o=e.filter(
c=>c.values);if(!o.length)return i;let a=o[0].values.filter(c=>[i,...o].every(u=>u.refuse(c)===null));return a.length?new E(
{integer:t,values:a}):null}function bs(e){let t=new j({min:Math.max(...e.map(r=>r.min)),max:Je(e)}),n=e.filter(r=>r.values);
if(!n.length)return t;let s=n[0].values.filter(r=>[t,...n].every(i=>i.refuse(r)===null));return s.length?new j({values:s}):
null}function ws(e){let t=it(e.map(n=>n.items));return new L(t,Math.max(...e.map(n=>n.min)),Je(e))}function xs(e){let t=e.
filter(s=>s.extra!==S&&!(s.extra&&N(s.extra,l))),n=[];for(let[s,r]of Ke(e,t)){let i=r.some(u=>u.required),o=t.filter(u=>!u.
byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}let a=it([...r.map(u=>u.type),...o]),c=r.find(
u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}return new O(n,$s(e.map(s=>s.extra)))}function $s(e){
if(e.includes(null))return null;let t=e.filter(s=>s!==S);return t.length<e.length&&t.every(s=>N(s,l))?S:it(t)}var k=class extends Error{};function yt(e){return Jt(e,"u")||Jt(e,"")}function Jt(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var As=`
\r\u2028\u2029`,Ve={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},Qe=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),Kt=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new k;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!As.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new k;t=this.choice()}
if(!this.skip(")"))throw new k;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>Qe(
r[i-1])!==Qe(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new k;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new k;
if("dDwWsS".includes(t))return ve(`\\${t}`);if(t in Ve)return Ve[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new k;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new k;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!Jt(r,"u"))throw new k;return this.pos+=s[0].length,ve(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new k;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new k;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function ve(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function dt(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+dt(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+dt(e.part);if(e.kind!=="repeat")return 1;let t=dt(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function gt(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+gt(n),0):e.kind==="any"?Math.min(...e.parts.map(gt)):e.kind==="repeat"?e.low*gt(e.part):0}var V=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new Kt(t).pattern(),s=dt(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
k||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?gt(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new Yt(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},Yt=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var Ss=/^(\d{4})-(\d\d)-(\d\d)$/,Os=1440,ks=/^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i,
Ms=/^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
tn=String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`,Es=new RegExp(String.
raw`^(?:${tn}(?:\.${tn})*|"[^"\r\n]*")@([^]+)$`),js=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,Ns=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
Is=/^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u,Ts=/^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,
Zt=String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef`+Array.from({length:13},(e,t)=>(t+1).toString(16)).map(e=>String.raw`\u{${e}0000}-\u{${e}fffd}`).
join("")+String.raw`\u{e1000}-\u{efffd}`,an=String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;function wt(e){
return new RegExp(String.raw`[^%${e}]|%(?![\da-fA-F]{2})`,"u")}var Vt=String.raw`\w.~!$&'()*+,;=:@\/?\-`,en=wt(Vt),Rs=wt(
Vt+Zt),Ps=wt(Vt+Zt+an),Ls=wt(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-`+Zt+an),nn=String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`,
_s=new RegExp(String.raw`\{[+#./;?&=,!@|]?${nn}(?:,${nn})*\}`,"gi"),Cs=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,
Ds=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,zs=/^(?:0|[1-9]\d{0,2})$/,Bs=/^[\da-f]{1,4}$/i;function sn(e){let[,t,n,s]=Ss.exec(
e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,
31,30,31,30,31][n-1]}function rn(e){let[t,n,s,r,i,...o]=ks.exec(e)??[];if(t===void 0)return!1;if(r!=="60")return!0;let a=i?
+`${i}1`*(Number(o[0])*60+Number(o[1])):0;return(Number(n)*60+Number(s)-a+1)%Os===0}function on(e,t=cn){let n=Es.exec(e)?.[1]??
"",s=/^\[([^]*)\]$/.exec(n)?.[1];return s===void 0?t(n)&&!n.endsWith("."):s.startsWith("IPv6:")?vt(s.slice(5)):Qt(s)}function cn(e){
let t=e.replace(/\.$/,"");return t.length<=253&&t.split(".").every(n=>js.test(n))}function qs(e){let t=n=>x(n)<=63&&Is.test(
n)&&!/^-|-$/.test(n);return x(e)<=253&&e.split(".").every(t)}function Qt(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>zs.test(n)&&Number(n)<256)}function vt(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!Qt(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>Bs.test(o))&&(t.length===2?i<8:i===8)}function bt(e,t,n){let s=Ts.exec(e);if(!s)return!1;
let[,r,i="",o="",a="",c=""]=s;if(r===void 0&&(!t||o.split("/",1)[0].includes(":")))return!1;let u=n?Rs:en,f=n?Ps:en;return Us(
i,u)&&!u.test(o)&&!f.test(a)&&!u.test(c)}function Us(e,t){let n=Cs.exec(e);if(!n)return!1;let[,s="",r,i=""]=n;return r!==
void 0&&!Ds.test(r)&&!vt(r)?!1:!t.test(s)&&!t.test(i)}function un(e){return(e===""||e.startsWith("/"))&&!/~(?![01])/.test(
e)}function Hs(e){let t=/^(?:0|[1-9]\d*)/.exec(e)?.[0],n=e.slice(t?.length);return t!==void 0&&(n==="#"||un(n))}var xt=new Map(
[["date",sn],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&sn(e.slice(0,10))&&rn(e.slice(11))],["duration",e=>Ms.test(e)],["\
email",e=>on(e)],["hostname",cn],["idn-email",e=>on(e,qs)],["ipv4",Qt],["ipv6",vt],["iri",e=>bt(e,!1,!0)],["iri-referenc\
e",e=>bt(e,!0,!0)],["json-pointer",un],["regex",yt],["relative-json-pointer",Hs],["time",rn],["uri",e=>bt(e,!1,!1)],["ur\
i-reference",e=>bt(e,!0,!1)],["uri-template",e=>!Ls.test(e.replace(_s,"-"))],["uuid",e=>Ns.test(e)]]);var St=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],R=e=>new Set(e.split(" ")),Ws=R("const default exampl\
e type"),Fs="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|number float Float \
double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array ArrayList Queue Stac\
k|object dict Dict Object Map HashMap Hashtable|any Any",ot=new Map([["","any"]]);for(let e of Fs.split("|"))for(let t of e.
split(" "))ot.set(t,e.split(" ")[0]);var Gs=new Map([["array","items"],["object","additionalProperties"]]);function m(e){
return e instanceof Map}var Ot=2020,ln=new Map;for(let[e,t]of[[6,"const contains propertyNames"],[7,"else if then"],[2019,
"$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties"],[Ot,"\
$dynamicRef prefixItems"]])for(let n of t.split(" "))ln.set(n,e);function kt(e,t,n,s){let r=c=>!n||(ln.get(c)??0)<=s,i=new Map(
[...e].filter(([c,u])=>(u!==null||Ws.has(c))&&r(c))),o=e.get("type"),a=typeof o=="string"&&!["any","object"].includes(ot.
get(o)??"any");typeof i.get("required")=="boolean"&&a&&i.delete("required");for(let[c,u]of[["minimum","exclusiveMinimum"],
["maximum","exclusiveMaximum"]]){let f=i.get(u);typeof f=="boolean"&&(i.delete(u),!(!f||!i.has(c))&&(i.set(u,i.get(c)),i.
delete(c)))}return i.has("type")?Xs(i,t,n):i}function Xs(e,t,n){let s=e.get("type"),r=typeof s=="string"&&!ot.has(s)?Js(
s):null;r&&(e=new Map([...r,...e]),s=r.get("type")),at("type",s,`${t}/type`);let i=[s].flat().map(f=>ot.get(f)),o=i.indexOf(
void 0);if(o>=0)throw new h("E501",`no type has the name ${g([s].flat()[o])}`,{pointer:`${t}/type`});i.includes("any")?e.
delete("type"):e.set("type",i);let a=e.get("enum"),c=e.get("items")??new Map,u=Array.isArray(a)&&a.length>0&&!a.some(Array.
isArray);return i.join()==="array"&&m(c)&&u&&!n&&(e.set("items",new Map([...c,["enum",a]])),e.delete("enum")),e}function Js(e){
let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&t.endsWith("]"),s=n?t.slice(9,-1):
t,r=s.indexOf("["),i=ot.get(r<0?s:s.slice(0,r)),o=Gs.get(i??"");if(i===void 0||r>=0&&!(o&&s.endsWith("]")))return null;let a=new Map(
[["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),f=i==="array"?c:u<0?"":c.slice(u+1);a.set(o,new Map([["typ\
e",f.trim()]]))}return n?a.set("nullable",!0):a}var Ks=R("$defs additionalItems additionalProperties const contains defa\
ult definitions dependencies dependentSchemas else example if items not patternProperties properties propertyNames then \
unevaluatedItems unevaluatedProperties");function pn(e){let t=r=>m(r)&&typeof r.get("type")=="string";if(e.size===0||![...e.
values()].every(t)||[...e.keys()].some(r=>Ks.has(r)))return e;let s=[...e].filter(([,r])=>!r.has("default")&&!r.get("typ\
e").endsWith("optional"));return new Map([["type","object"],["properties",e],["required",s.map(([r])=>r)]])}var ee=e=>typeof e==
"string",ne=e=>typeof e=="boolean",Mt=e=>typeof e=="string"&&!U.test(e),$t=e=>typeof e=="bigint"?ht(e):typeof e=="number"&&
Number.isFinite(e),Ys=e=>y(e)&&$t(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),te=e=>Array.isArray(e)&&e.every(Mt),
Zs=e=>Array.isArray(e)&&e.length>0,fn=e=>ne(e)||m(e),hn=e=>ee(e)&&yt(e),Vs=e=>typeof e=="string"&&!Y.test(e),Qs=e=>m(e)&&
[...e.keys()].every(Mt),mn=new Map;for(let[e,t]of[["$ref format $dynamicRef $recursiveRef",ee],["type",n=>ee(n)||te(n)],
["required",te],["additionalItems",fn],["items",n=>fn(n)||Array.isArray(n)],["pattern",hn],["patternProperties",n=>m(n)&&
[...n.keys()].every(hn)],["prefixItems",Array.isArray],["dependencies dependentSchemas",Qs],["properties",n=>m(n)&&[...n.
keys()].every(Vs)],["enum",Array.isArray],["anyOf oneOf allOf",Zs],["minContains maxContains minItems maxItems minLength\
 maxLength minProperties maxProperties",Ys],["nullable uniqueItems",ne],["multipleOf",n=>y(n)&&$t(n)&&n>0],["dependentRe\
quired",n=>m(n)&&[...n.values()].every(te)],[St.join(" "),$t]])for(let n of e.split(" "))mn.set(n,t);function at(e,t,n){
if(mn.get(e)?.(t)===!1)throw new h("E502",`${e} cannot be ${g(t)}`,{pointer:n})}function se(e){return e===null||ne(e)||Mt(
e)||$t(e)}function At(e,t=0){return t>64?!1:m(e)?[...e].every(([n,s])=>Mt(n)&&At(s,t+1)):Array.isArray(e)?e.every(n=>At(
n,t+1)):se(e)}var vs=R("additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluate\
dProperties"),tr=R("allOf anyOf items oneOf prefixItems"),er=R("$defs definitions dependencies dependentSchemas patternP\
roperties properties"),re="lton:///";function ct({draft:e}){return e<2019}function Et({draft:e}){return e<6?"id":"$id"}var Q=class e{constructor(t,n){
this.resource=t,this.known=n}static of(t){let n=new ie(t);return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){
return t===this.resource.schema||!t.has(Et(this.resource))?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){
let[s,r]=gn(this.resource.address,t)??[],i=s===void 0?void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;
throw new h("E504",`no schema here has the name ${JSON.stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=rr(n);if(s===
"")return{target:t.schema,scope:this.in(t)};if(!s.startsWith("/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,
scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split("/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.
isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=m(r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(
r,t)}return{target:r,scope:this.in(t)}}},ie=class{constructor(t){this.byAddress=new Map,this.bySchema=new Map,this.root=
dn(t,{address:"",draft:Ot})}resourceOf(t,n){return this.look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),
this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of nr(this.root))this.byAddress.set(t.address,t),this.bySchema.
set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.root)}}};function nr(e){let t=[e],n=[[e.schema,e]],s=new Set;
for(;n.length;){let[r,i]=n.pop();if(!m(r)||s.has(r))continue;s.add(r);let o=r.get(Et(i));if(o!=null&&typeof o!="string"&&
Et(i)==="$id")throw oe();typeof o=="string"&&r!==e.schema&&!(ct(i)&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(
1),r):t.push(i=dn(r,i)));for(let a of["$anchor","$dynamicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),
a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of sr(r))n.push([a,i])}return t}function dn(e,t){let{draft:n}=t,s=m(
e)?e.get("$schema"):void 0;if(typeof s=="string"){let o=/draft-0([0-9])|draft\/([0-9]{4})-/.exec(s);n=o?Number(o[1]??o[2]):
Ot}let r=m(e)?e.get(Et({draft:n})):void 0,i=typeof r=="string"?gn(t.address,r)?.[0]:"";if(i===void 0)throw oe();return{address:i,
schema:e,draft:n,anchors:new Map,dynamic:new Map}}function*sr(e){for(let[t,n]of e)if(er.has(t)&&n!==null){if(!m(n))throw oe();
yield*n.values()}else tr.has(t)&&Array.isArray(n)?yield*n:vs.has(t)&&(yield n)}function oe(){return new h("E502","expect\
ed a schema, found something else in a part of it")}function gn(e,t){let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")
return[e,s];try{let r=new URL(n,e.includes(":")?e:re+e).href;return[r.startsWith(re)?r.slice(re.length):r,s]}catch{return null}}
function rr(e){try{return decodeURIComponent(e)}catch{return e}}var ae=1e7,ir=20,or=30,ar=100,cr=R("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),Tt=class extends Error{};
function An(e,t){let n=Q.of(e),s=new ce(t);return r=>{let i=new ue(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
Tt)return{path:[],problem:`it takes more than ${ae} steps to check the arguments`,code:"E506"};if(o instanceof h||o instanceof
RangeError)return b(`the arguments cannot be checked: ${o.message}`);throw o}}}var ce=class{constructor(t){this.standard=
t,this.plans=new Map,this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=ur(t,n,this.
standard),i=[...br].filter(([a])=>r.has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedPr\
operties");s={keywords:r,judges:i,asksForMarks:o,isKept:[...r.keys()].some(a=>cr.has(a))},this.plans.set(t,s)}return s}matcher(t){
let n=this.matchers.get(t);return n===void 0&&this.matchers.set(t,n=V.of(t)),n}},ue=class{constructor(t,n,s){this.value=
t,this.known=n,this.formats=s,this.steps=0,this.limit=ae,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=
this.limit)&&(this.limit=ae+ir*B(this.value),this.steps>this.limit))throw new Tt}}judge(t,n,s,r,i){if(!m(t))return t===!1?
b("nothing is allowed here"):null;this.spend(ar),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.
plan(t,s.resource),a=i===null&&o.isKept?this.keptOf(t,n):null,c=a?.find(([p])=>p.length===r.length&&p.every((w,C)=>w===r[C]));
if(c)return c[1];this.spend(20*o.judges.length);let u=i??(o.asksForMarks?new Set:null),f=new fe(this,o.keywords,s,r,u),d=null;
for(let[[p,w],C]of o.judges)if(p(n)&&(d=w(C,n,f)))break;return a?.push([r,d]),d}keptOf(t,n){let s=this.judged.get(t)??new Map,
r=s.get(n)??[];return s.set(n,r),this.judged.set(t,s),r}},fe=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
scope=s,this.around=r,this.marks=i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.
marks&&new Set,r=this.judge(t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.
judge(t,n);return r&&{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.
at(s)}}at(t){return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.
search(n,this.run.spend)??null}};function b(e){return{path:[],problem:e,code:"E214"}}function B(e){let t=or;if(typeof e==
"string")t+=x(e);else if(Array.isArray(e))for(let n of e)t+=B(n);else if(typeof e=="object"&&e!==null){let n=e instanceof
Map?e:Object.entries(e);for(let[s,r]of n)t+=x(s)+B(r)}return t}function J(e){return y(e)?String(F(e)):Array.isArray(e)?`\
[${e.map(J).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([
n,s])=>`${JSON.stringify(n)}:${J(s)}`).sort().join()}}`}function ur(e,t,n){let s=new Map(kt(e,"",n,t.draft));if(ct(t)&&s.
has("$ref"))return new Map([["$ref",s.get("$ref")]]);Array.isArray(s.get("items"))&&(s.set("prefixItems",s.get("items")),
s.delete("items"),s.has("additionalItems")&&s.set("items",s.get("additionalItems")));for(let[i,o]of s.get("dependencies")??
[]){let a=Array.isArray(o)?"dependentRequired":"dependentSchemas";s.set(a,new Map([...s.get(a)??[],[i,o]]))}for(let[i,o]of s)
at(i,o,"");let r=s.get("nullable")===!0;return s.delete("nullable"),r?new Map([["anyOf",[s,new Map([["type",["null"]]])]]]):
s}var P=()=>!0,ut=e=>typeof e=="string",W=e=>Array.isArray(e),fr={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>y(
e)&&ft(e),number:y,string:ut,array:W,object:M};function I(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var jt=(e,t)=>(n,s)=>t(
s,n)?null:b(`${s} is not ${e} ${String(n)}`),v=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:b(`a size of ${i}, not ${e}\
 ${String(s)}`)},Nt=(e,t)=>e>=t,It=(e,t)=>e<=t,yn=e=>Object.keys(e).length;function bn(e){if(typeof e=="bigint")return[e,
0];let[t="",n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-
s-1)]}function hr(e,t){let[[n,s],[r,i]]=[bn(e),bn(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}
var wn=(e,t)=>{let n=e.find(s=>!T(t,s));return n===void 0?null:b(`${g(n)} is missing`)},xn=(e,t,n,s)=>e===!1?b(`${g(n)} \
is not allowed here`):s.inner(e,t[n],n);function Sn(e,t){let n=Math.max(...e.map(r=>r.path.length)),s=e.filter(r=>r.path.
length===n);return s.length===1?s[0]:b(`${g(t)} is allowed by no schema`)}function lr(e,t,n){let s=t.flatMap((o,a)=>n.judge(
e,o)?[]:[a]);for(let o of s)n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;
return r<=s.length&&s.length<=i?null:b(`${s.length} items match \`contains\``)}function pr(e,t,n){let{target:s,there:r}=n.
lookup(e),i=e.slice(e.lastIndexOf("#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(
a=>a.dynamic.has(i));s=o.dynamic.get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function mr(e,t,n){let{target:s,there:r}=n.
lookup(e),i=o=>m(o)&&o.get("$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=
o.schema,r=r.at(r.scope.in(o))}return r.beside(s,t)}function dr(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)
s.push(i);else if(n.marks===null)return null}return s.length===e.length?Sn(s,t):null}function gr(e,t,n){let s=e.map(i=>n.
beside(i,t)).filter(i=>i!==null),r=e.length-s.length;return r>1?b(`${g(t)} is allowed by ${r} schemas, not by one`):r?null:
Sn(s,t)}function yr(e,t,n){n.run.spend(B(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(e.map(J))),s.get(e).
has(J(t))}var br=new Map([["type",[P,(e,t)=>e.some(n=>fr[n](t))?null:b(`${g(t)} is not of type ${String(e)}`)]],["enum",
[P,(e,t,n)=>yr(e,t,n)?null:b(`${g(t)} is not listed`)]],["const",[P,(e,t,n)=>(n.run.spend(B(t)+B(e)),J(t)===J(e)?null:b(
`${g(t)} is not ${g(e)}`))]],["minimum",[y,jt("at least",Nt)]],["maximum",[y,jt("at most",It)]],["exclusiveMinimum",[y,jt(
"more than",(e,t)=>e>t)]],["exclusiveMaximum",[y,jt("less than",(e,t)=>e<t)]],["multipleOf",[y,(e,t)=>hr(t,e)?null:b(`${t}\
 is not a multiple of ${String(e)}`)]],["minLength",[ut,v("at least",x,Nt)]],["maxLength",[ut,v("at most",x,It)]],["minI\
tems",[W,v("at least",e=>e.length,Nt)]],["maxItems",[W,v("at most",e=>e.length,It)]],["minProperties",[M,v("at least",yn,
Nt)]],["maxProperties",[M,v("at most",yn,It)]],["pattern",[ut,(e,t,n)=>n.matches(e,t)===!1?b(`${g(t)} does not match ${g(
e)}`):null]],["format",[ut,(e,t,n)=>{let s=n.run.formats?xt.get(e):void 0;return s&&n.run.spend(t.length),s?.(t)===!1?b(
`${g(t)} is not a ${String(e)}`):null}]],["required",[M,(e,t)=>wn(e,t)]],["dependentRequired",[M,(e,t)=>I(e,([n,s])=>T(t,
n)?wn(s,t):null)]],["uniqueItems",[W,(e,t,n)=>(n.run.spend(B(t)),e&&new Set(t.map(J)).size<t.length?b("an item is there \
twice"):null)]],["propertyNames",[M,(e,t,n)=>{let s=I(Object.keys(t),r=>n.judge(e,r));return s&&{...s,path:[]}}]],["addi\
tionalProperties",[M,(e,t,n)=>{let s=n.keywords.get("properties"),r=[...n.keywords.get("patternProperties")?.keys()??[]],
i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return I(Object.keys(t),o=>i(o)?xn(e,t,o,n):null)}]],["prefixItems",[W,
(e,t,n)=>I(e.slice(0,t.length).entries(),([s,r])=>n.inner(r,t[s],s))]],["items",[W,(e,t,n)=>{let s=(n.keywords.get("pref\
ixItems")??[]).length;return I(t.slice(s).entries(),([r,i])=>n.inner(e,i,s+r))}]],["contains",[W,lr]],["properties",[M,(e,t,n)=>I(
Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],["patternProperties",[M,(e,t,n)=>I(e,([s,r])=>I(Object.keys(
t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[P,(e,t,n)=>{let{target:s,there:r}=n.lookup(e);return r.beside(s,
t)}]],["$dynamicRef",[P,pr]],["$recursiveRef",[P,mr]],["allOf",[P,(e,t,n)=>I(e,s=>n.beside(s,t))]],["anyOf",[P,dr]],["on\
eOf",[P,gr]],["if",[P,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"then")??!0,t)]],["dependentSchemas",[M,(e,t,n)=>I(
e,([s,r])=>T(t,s)?n.beside(r,t):null)]],["not",[P,(e,t,n)=>n.judge(e,t)?null:b(`${g(t)} is what \`not\` excludes`)]],["u\
nevaluatedItems",[W,(e,t,n)=>I(t.entries(),([s,r])=>n.marks.has(s)?null:n.inner(e,r,s))]],["unevaluatedProperties",[M,(e,t,n)=>I(
Object.keys(t),s=>n.marks.has(s)?null:xn(e,t,s,n))]]]);var xr=["enum","const","anyOf","oneOf","allOf"],$r=["properties","additionalProperties","patternProperties","$ref",...xr],
Ar=[...R("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),...St],Sr=R("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),Or=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],kr=10;function kn(e,t,n){!n&&m(e)&&(e=
Mr(e));let s=new he(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new h("E502","expected the schema of an obje\
ct",{pointer:t});return{args:r,isChecked:s.isChecked,notes:s.notes}}function Mr(e){return $r.some(n=>(e.get(n)??null)!==
null)?e:new Map([...e,["properties",new Map]])}var he=class{constructor(t,n,s){this.root=n,this.standard=s,this.isChecked=
!1,this.notes={unmatched:[],unsayable:[]},this.positions=0,this.texts=0,this.repeated=0,this.steps=0,this.done=new Map,this.
open=new Map,this.mentioned=new Map,this.declared=[],this.scope=Q.of(m(t)?t:new Map),this.open.set(t,1)}count(t){if(this.
positions+=t,this.positions+Math.floor(this.repeated/100)>1e5)throw new h("E505",`a schema of more than ${1e5} positions`,
{pointer:this.root})}countTexts(t,n){this.texts+=t,n&&(this.repeated+=t),this.count(0)}mention(t,n){this.mentioned.set(t,
[...this.mentioned.get(t)??[],...n])}apart(t){let{mentioned:n,declared:s}=this;this.mentioned=new Map,this.declared=[];let r={
type:t(),mentioned:this.mentioned};return this.mentioned=n,this.declared=s,r}position(t,n,s,r){this.steps+=1;let{type:i,
mentioned:o}=this.apart(()=>this.schema(t,n,s,r));this.steps-=1;let{object:a}=i;if(a?.extra!==S)return i;let u=[...o.keys()].
filter(f=>!a.byName.has(f)).map(f=>({name:f,type:z(o.get(f)).type,required:!1,description:""}));return new A({...i,object:new O(
[...a.params,...u])})}schema(t,n,s,r){if(r>64)throw new h("E301",`nested deeper than ${64}`,{pointer:n});if(this.count(1),
typeof t=="boolean")return t?l:Bt;if(!m(t))throw new h("E502",`expected a schema, found ${g(t)}`,{pointer:n});s=s.inside(
t);let i=new le(this,kt(t,n,this.standard,s.resource.draft),n,s,r);i.look();try{let o=i.compile();return N(o,l)?l:o}catch(o){
throw!(o instanceof h)||o.pointer!==void 0?o:new h(o.code,o.problem,{pointer:n})}}},le=class{constructor(t,n,s,r,i){this.
run=t,this.keywords=n,this.place=s,this.scope=r,this.depth=i}at(...t){return this.place+tt(t)}inner(t,...n){return this.
run.position(t,this.at(...n),this.scope,this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.
depth+1)}all(t){return(this.keywords.get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??
new Map}look(){for(let[t,n]of this.keywords)at(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.
match([...n.keys()],t):t==="format"?this.run.isChecked||=!this.run.standard&&xt.has(n):Sr.has(t)&&!(t==="uniqueItems"&&n===
!1)&&(this.run.isChecked=!0)}match(t,n){let s=t.map(r=>V.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),
0)/kr)),s.includes(null)?this.run.notes.unmatched.push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,
s=[];if(t.has("$ref")&&(s.push(this.referenced(t.get("$ref"))),ct(this.scope.resource)))return s[0];let r=this.kinds();r&&
s.push(this.byKind(r));let i=n.declared;n.declared=[...i,...s.flatMap(a=>a.object?.byName??[])],t.has("enum")&&s.push(this.
listed("enum",t.get("enum"))),t.has("const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])
t.has(a)&&s.push(this.union(a));s.push(...this.all("allOf")),n.declared=i;let o=it(s);return this.mention(),this.checkHidden(),
t.get("nullable")?z([o,new A({null:!0})]).type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.
scope.lookup(t,s);if(n.open.has(r)){if(n.open.get(r)===n.steps)throw new h("E504","the reference names itself",{pointer:s});
return n.isChecked=!0,l}let o=n.done.get(r);if(o)n.count(o.positions),n.countTexts(o.texts,!0);else{t.startsWith("#/")&&
(s=n.root+t.slice(1));let{positions:a,texts:c}=n;n.open.set(r,n.steps);let u=n.apart(()=>n.schema(r,s,i,this.depth+1));n.
open.delete(r),o={...u,positions:n.positions-a,texts:n.texts-c},n.done.set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);
return o.type}union(t){let n=this.all(t),s=Ye(n,this.run.declared),r=z(s);return(!r.isExact||s!==n||t==="oneOf"&&Ze(n))&&
(this.run.isChecked=!0),r.type}mention(){let t=[];for(let n of["if","then","else"])this.keywords.has(n)&&t.push(this.beside(
this.keywords.get(n),n));for(let n of["dependentSchemas","dependencies"])for(let[s,r]of this.members(n))Array.isArray(r)||
t.push(this.beside(r,n,s));for(let{object:n}of t)for(let s of n?.params??[])this.run.mention(s.name,[s.type])}checkHidden(){
this.keywords.has("not")&&this.beside(this.keywords.get("not"),"not");for(let t of["contains","propertyNames","unevaluat\
edItems","unevaluatedProperties"])this.keywords.has(t)&&this.inner(this.keywords.get(t),t)}listed(t,n){let s=n.filter(Er);
s.length<n.length&&this.run.notes.unsayable.push(this.at(t));let r=s.filter(u=>typeof u=="object"&&u!==null);r.length&&(this.
run.isChecked=!0);let i=s.filter(u=>typeof u!="object"||u===null),o=i.find(u=>!se(u));if(o!==void 0)throw new h("E502",`\
a label cannot be ${g(o)}`,{pointer:this.at(t)});let a=i.filter(y),c=i.filter(u=>typeof u=="string");return this.run.countTexts(
c.reduce((u,f)=>u+x(f),9*s.length),!1),new A({null:i.includes(null),booleans:[!1,!0].filter(u=>i.includes(u)),number:a.length?
new E({integer:a.every(u=>typeof u=="bigint"),values:a}):null,string:c.length?new j({values:[...new Set(c)]}):null,array:r.
some(Array.isArray)?l.array:null,object:r.some(m)?l.object:null})}kinds(){let{keywords:t}=this;if(t.has("type"))return t.
get("type");if(!Ar.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:Or.find(([s])=>t.has(s));return n?[n[1]]:
["null","boolean","number","string","array","object"]}byKind(t){let n=t.includes("number")||t.includes("integer");return new A(
{null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?this.number(!t.includes("number")):null,string:t.
includes("string")?new j({min:this.size("minLength")??0,max:this.size("maxLength")}):null,array:t.includes("array")?this.
array():null,object:t.includes("object")?this.object():null})}number(t){let n=St.map(s=>[s,this.keywords.get(s)]);return new E(
{integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.has(t)?Number(this.keywords.get(t)):void 0}array(){let t=this.
keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.isChecked=!0);let s=n?t:this.keywords.get("prefixItems")??[],r=n?
this.keywords.get("additionalItems")??!0:t,i=s.map((a,c)=>this.inner(a,n?"items":"prefixItems",c)),o=this.size("maxItems");
return r===!1&&(o=Math.min(o??1/0,s.length)),(r!==!1||!s.length)&&i.push(this.inner(r,n?"additionalItems":"items")),new L(
z(i).type,this.size("minItems")??0,o)}object(){let t=new Set(this.keywords.get("required")??[]),n=this.members("properti\
es"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),i=s===S?l:s??Bt,o=[...t].filter(a=>!n.has(a));return this.
run.count(o.length),new O([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],s)}extra(){let{keywords:t}=this,
n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.members("patternProperties");
for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedProperties")??!1)!==!1;return n===
void 0&&(this.run.standard||i)?l:n===void 0&&!s.length?t.has("properties")?S:l:n===!1&&!r.size?null:z(s).type}param(t,n,s){
let r=this.inner(n,"properties",t),i=m(n)?n:new Map,o=!1,a=i.get("$ref");if(typeof a=="string"&&a&&!i.get("description")){
let{target:p}=this.scope.inside(i).lookup(a,this.at("properties",t,"$ref"));o=m(p),m(p)&&(i=new Map([...p,...i]))}let c=i.
get("default"),u=i.get("description"),f=typeof u=="string"?u:"",d=c!==void 0&&At(c)?c:void 0;return this.run.countTexts(
x(f)+(d===void 0?0:B(d)),o),{name:t,type:r,required:s,description:f,default:d}}};function Er(e){return typeof e!="string"||
!U.test(e)}var jr=["parameters","input_schema","inputSchema"],Nr=["properties","$ref","allOf","anyOf","oneOf"],Rt=class e{constructor(t,n=[],s=[]){
if(this.tools=t,this.unmatched=n,this.unsayable=s,this.prints=new Map,this.byName=new Map(t.map(r=>[r.alias||r.name,r])),
this.byName.size<t.length||new Set(t.map(r=>r.name)).size<t.length)throw new h("E503","two tools have one name",{pointer:""})}static from(t,{
standard:n=!1}={}){let s=typeof t=="string"?ye(t):be(t),r=m(s)?s.get("tools")??[s]:s;if(!Array.isArray(r))throw new h("E\
502",`expected tool definitions, found ${g(r)}`,{pointer:""});let i={unmatched:[],unsayable:[]},o=r.map((a,c)=>Ir(a,`/${c}`,
n,i));return new e(o,i.unmatched,i.unsayable)}get fingerprint(){return Ht(this.tools)}fingerprintOf(t){let n=this.prints.
get(t.name)??Ht([t]);return this.prints.set(t.name,n),n}prompt(t={}){return qe(this.tools,t)}get signatures(){return this.
tools.map(t=>Ut(t))}};function Ir(e,t,n,s){let r=m(e)?e.get("function"):void 0;if(m(r)&&([e,t]=[r,`${t}/function`]),!m(e))
throw new h("E502","expected a tool definition",{pointer:t});let i=!e.has("name")&&Nr.some(d=>e.has(d)),o=e.get(i?"title":
"name");if(typeof o!="string"||!o||Y.test(o))throw new h("E502",`expected the name of a tool, found ${g(o)}`,{pointer:t});
let a=jr.find(d=>(e.get(d)??null)!==null),c=i?e:new Map([["type","object"]]);!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),!n&&m(
c)&&(c=pn(c));let u=kn(c,t,n);s.unmatched.push(...u.notes.unmatched),s.unsayable.push(...u.notes.unsayable);let f=e.get(
"description");return{name:o,alias:"",description:typeof f=="string"?f:"",args:u.args,check:u.isChecked?An(c,n):null}}function Mn(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!Oe.includes(s))throw new h("E401",`no form has the name ${String(
s)}`);let i=new pe(t,s,n),o=null;return[e].flat().map(c=>{if(typeof c!="object"||c===null)throw new h("E401","expected a\
 call or an answer",{path:""});if(!("arguments"in c))return i.answer(c);let u=i.call(c,r?null:o);return o=c.name,(r&&s!==
"tagged"?Dt:"")+u}).join(`
`)}var pe=class e{constructor(t,n,s){this.tools=t,this.form=n,this.options=s,this.isPunctuated=n==="punctuated",this.isExact=
s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new h("E212",`without too\
ls, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=En(t.arguments,i?.args??lt,0,[]),a=i?.check?.(
o);if(a)throw new h(a.code,a.problem,{path:tt(a.path)});let c=$(i?.alias||t.name)+(this.options.fingerprint&&s&&i?`#${s.
fingerprintOf(i)}`:"");if(r==="tagged")return`${Dt}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,l))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let f=r==="wire"&&t.name===n?"&":c;return u.length?`${f} ${this.row(u)}`:f}answer(t){return(t.
error&&!t.name?Ee:`${t.error?Me:ke}${this.answerName(t.name)} `)+new e(null,"wire",this.options).value(de(t.value,l,0,[]),
l)}answerName(t){return $(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||U.test(t))throw new h(
"E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)return n;throw new h(
"E201",`no tool ${JSON.stringify(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):et(t)}members(t,n){let{row:s,
keyed:r}=this.form==="wire"?n.arrange(t):{row:[],keyed:n.inOrder(t)},i=s.map(o=>o?this.value(t[o.name],o.type):"_");for(let o of r)
i.push(`${$(o)}=${this.value(t[o],n.typeOf(o)??l)}`);return i}pairs(t,n){return D(Object.keys(t)).map(s=>`${$(s)} ${this.
value(t[s],n)}`)}value(t,n){if(typeof t=="string")return nt(t,n.takesBare(t)&&(n.hasLabels||!this.isPunctuated),this.isPunctuated);
if(typeof t=="number")return this.number(t);if(typeof t!="object"||t===null)return String(t);if(Array.isArray(t)){let o=n.
array?.items??l,a=()=>this.row(t.map(c=>this.value(c,o)));return`[${this.table(t,o)??a()}]`}let s=n.object??lt;if(!s.isMap)
return`(${this.row(this.members(t,s))})`;let r=D(Object.keys(t));return`{${this.table(r.map(o=>t[o]),s.extra,r.map($))??
this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(t,-0)?String(t):G(
t)}table(t,n,s=[]){if(this.isPunctuated||!n.object?.isMap||!t.length||!t.every(me))return null;let r=t.map(f=>Object.keys(
f)),i=r.reduce((f,d)=>f+d.length,0),o=new Set(r.flat()).size;if(o+(o*t.length-i)>=i)return null;let a=this.columns(t,n.object.
extra),c=a.flatMap(f=>f.cells),u=t.map((f,d)=>{let p=c.map(w=>w[d]);for(;p.at(-1)==="_";)p.pop();return et([...s.slice(d,
d+1),...p])});return`(${et(a.map(f=>f.head))})${u.join(";")}`}columns(t,n){return D(new Set(t.flatMap(r=>Object.keys(r)))).
map(r=>{let i=t.map(a=>T(a,r)?a[r]:void 0);if(n.object?.isMap&&Tr(i)){let a=this.columns(i,n.object.extra);return{order:2,
head:`${$(r)}(${et(a.map(c=>c.head))})`,cells:a.flatMap(c=>c.cells)}}let o=i.map(a=>a===void 0?"_":this.value(a,n));return{
order:Rr(o.filter((a,c)=>i[c]!==void 0)),head:$(r),cells:[o]}}).sort((r,i)=>r.order-i.order)}groups(t,n){let{row:s,keyed:r}=n?.
arrange(t)??{row:[],keyed:D(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||!r.length?[`(${i.
join(" ")})`]:[];for(let a of r)o.push(`(${zt(a)} ${this.atom(t[a],n?.typeOf(a)??l)})`);return o.join(`
`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return Z(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return Z(
"b",String(t));if(typeof t=="bigint")return Z(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return Z(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??l)).join(" ")}]`;let s=n.
object??lt;return`{${s.inOrder(t).map(r=>`${zt(r)} ${this.atom(t[r],s.typeOf(r)??l)}`).join(" ")}}`}};function me(e){return typeof e==
"object"&&e!==null&&!Array.isArray(e)}function Tr(e){let[t]=e;if(!me(t))return!1;let n=Object.keys(t);return n.length>1&&
e.every(s=>me(s)&&Object.keys(s).length===n.length&&n.every(r=>T(s,r)))}function Rr(e){return e.some(t=>"\"'`[({".includes(
t[0]))?2:e.every(t=>"-0123456789".includes(t[0]))?0:1}function q(e,t,n){return new h(e,t,{path:tt(n)})}function de(e,t,n,s){
Pr(e,s);let r=t.refuse(e);if(r)throw q(r[0],`expected ${r[1]}`,s);if(typeof e!="object"||e===null)return e;if(n>=64)throw q(
"E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>de(i,t.array.items,n+1,[...s,o])):En(e,
t.object,n+1,s)}function En(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw q("E401","expected an objec\
t of arguments",s);let r=Ae();for(let[i,o]of e instanceof Map?e:Object.entries(e)){if(typeof i!="string"||U.test(i))throw q(
"E401","this cannot be a name",s);if(o===void 0)continue;let a=t.typeOf(i);if(!a)throw q("E202",`no parameter ${JSON.stringify(
i)}`,s);r[i]=de(o,a,n,[...s,i])}for(let{name:i}of t.needs)if(!T(r,i))throw q("E205",`${JSON.stringify(i)} is required`,s);
return r}function Pr(e,t){if(typeof e=="string"){if(U.test(e))throw q("E401","U+0000 or a lone surrogate in a text",t)}else if(typeof e==
"bigint"){if(!ht(e))throw q("E302",`an integer of more than ${4096} digits`,t)}else if(typeof e=="number"?!Number.isFinite(
e):!Lr(e))throw q("E401",`${typeof e=="number"?String(e):`a ${typeof e} of this kind`} is no value of JSON`,t)}function Lr(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}return _n(_r);})();
