// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var Dt=Object.defineProperty;var Ln=Object.getOwnPropertyDescriptor;var _n=Object.getOwnPropertyNames;var Cn=Object.prototype.hasOwnProperty;var Dn=(e,t)=>{for(var n in t)Dt(e,n,{get:t[n],enumerable:!0})},zn=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of _n(t))!Cn.call(e,r)&&r!==n&&Dt(e,r,{get:()=>t[r],enumerable:!(s=Ln(t,r))||s.enumerable});return e};var qn=e=>zn(Dt({},"__esModule",{value:!0}),e);var zr={};Dn(zr,{LtonError:()=>h,Toolset:()=>_t,encode:()=>Tn,sorted:()=>C});var h=class extends Error{constructor(t,n,s={}){let r=s.pos===void 0?s.path||s.pointer:`position ${s.pos}`;super(`${n}${r?
` (${r})`:""} [${t}]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,s)}};function tt(e){let t="";
for(let n of e)t+=`/${String(n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function g(e){let t;return typeof e==
"string"?t=JSON.stringify(e.slice(0,41)):e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an arr\
ay":"an object",t.length>40?`${t.slice(0,40)}\u2026`:t}var zt=1e3,Bn=1e5,Y=/[ \t\n\r]*/y,Ae=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,Un=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
Hn=/true|false|null/y,Wn=new Map([["true",!0],["false",!1],["null",null]]);function Se(e){let t=new qt(e),n=t.value(0);if(t.
pos<e.length)throw t.unexpected("the end of the text");return n}var qt=class{constructor(t){this.text=t,this.pos=0}value(t){
if(this.match(Y),t>zt)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(Y),n}unspaced(t){let n=this.
match(Ae);if(n)return JSON.parse(n[0]);let s=this.match(Un);if(s)return this.number(s);let r=this.match(Hn);if(r)return Wn.
get(r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a va\
lue")}number([t,n,s]){if(n||s)return Number(t);if(t.length>Bn)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(
t)}array(t){let n=[];if(this.match(Y),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip(
"]"))throw this.unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(Y),this.skip("}"))return n;do{
this.match(Y);let s=this.match(Ae);if(!s)throw this.unexpected("a key in double quotes");if(this.match(Y),!this.skip(":"))
throw this.unexpected("a colon");n.set(JSON.parse(s[0]),this.value(t))}while(this.skip(","));if(!this.skip("}"))throw this.
unexpected("a comma or }");return n}skip(t){return this.text[this.pos]!==t?!1:(this.pos+=1,!0)}match(t){t.lastIndex=this.
pos;let n=t.exec(this.text);return n&&(this.pos+=n[0].length),n}unexpected(t){let[n=""]=this.text.slice(this.pos,this.pos+
2),s=n?JSON.stringify(n):"the end of the text";return new h("E502",`expected ${t}, found ${s}`,{pos:this.pos})}};function Oe(e){
return ke(e,new Map,0)}function ke(e,t,n){if(typeof e=="number")return Number.isInteger(e)&&!Object.is(e,-0)?BigInt(e):e;
if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="object")throw new h("E502",`a ${typeof e}\
 is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new h("E502","a definition contains itself");return i}if(n>
zt)throw new h("E301",`nested deeper than ${zt}`);t.set(e,void 0);let s=i=>ke(i,t,n+1),r=Array.isArray(e)?e.map(s):new Map(
[...Fn(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,r),r}function Fn(e){return e instanceof Map?
e:Object.entries(e)}var Me=10n**BigInt(4095),U=/[\0\ud800-\udfff]/u,F=/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u,
Gn=/[\ud800-\udfff]/,Xn=/[\ud800-\udbff][\udc00-\udfff]/g;function x(e){return Gn.test(e)?e.length-(e.match(Xn)?.length??
0):e.length}function M(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)}function b(e){return typeof e=="number"||
typeof e=="bigint"}function ft(e){return typeof e=="bigint"||Number.isInteger(e)}function ht(e){return-Me<e&&e<Me}function G(e){
if(typeof e=="number")return Number.isInteger(e)&&!Number.isSafeInteger(e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(
t)?t:e}function je(){return Object.create(null)}var Jn=Object.prototype.hasOwnProperty;function T(e,t){return Jn.call(e,
t)}function C(e){return[...e].sort(Kn)}function Kn(e,t){let n=Math.min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[
e.charCodeAt(s),t.charCodeAt(s)];if(r!==i)return r>=55296&&i>=55296?Ee(r)-Ee(i):r-i}return e.length-t.length}function Ee(e){
return e<57344?e+65536:e}var Ne=["wire","keyed","punctuated","tagged"],Ut="!call ",Ie="!result ",Te="!error ",Re="!error: ";var Pe=/^[A-Za-z0-9_./-]+$/,Ht=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,Le=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/,
Yn=/[\n\r]/,Zn=/(?:^|\n)(`{3,})/g,Vn=['"',"'","`"],Qn=1,vn=2,ts=4,Bt=new Uint8Array(128);for(let e=0;e<128;e+=1){let t=String.
fromCharCode(e);/[A-Za-z0-9_./-]/.test(t)&&(Bt[e]|=Qn),/[A-Za-z0-9_./:@+*-]/.test(t)&&(Bt[e]|=vn),/[0-9]/.test(t)&&(Bt[e]|=
ts)}function lt(e){return Pe.test(e)}var es=/["'`)\]}]$/,ns=/^[A-Za-z]/;function et(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(es.test(e[n-
1])&&!ns.test(s)?",":" ")+s}return t}function D(e){return Pe.test(e)?e:pt(e)??Ce(e)}function Wt(e){return e==="n"||e==="\
_"?`"${e}"`:D(e)}function _e(e,t,n=!1){return t&&Ht.test(e)?e:pt(e)??(n?Ce(e):Z("s",e))}function Z(e,t){return`${e}${x(t)}\
:${t}`}function pt(e){if(Yn.test(e))return null;let t=Vn.find(n=>!e.includes(n));return t?t+e+t:null}function Ce(e){let t=2;
for(let[,s]of e.matchAll(Zn))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function X(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var E=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
G)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get noun(){return this.integer?"an integer":
"a number"}refuse(t){if(this.integer&&!ft(t))return["E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.
listed.has(G(t)))return["E204",ze(this.values.map(X))];let n=this.broken(t);return n?["E208",`${this.noun} of ${n}`]:null}broken(t){
return this.minimum!==void 0&&!(t>=this.minimum)?`at least ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`a\
t most ${this.maximum}`:this.exclusiveMinimum!==void 0&&!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:
this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?`less than ${this.exclusiveMaximum}`:""}},j=class{constructor({
min:t=0,max:n,values:s}={}){this.min=t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=t===0&&n===void 0&&
s===void 0}get noun(){return this.values?ze(this.values.map(t=>JSON.stringify(t))):"a string"}refuse(t){if(this.isOpen)return null;
if(this.listed&&!this.listed.has(t))return["E204",this.noun];let n=qe(x(t),this.min,this.max);return n?["E208",`a string\
 of ${n} characters`]:null}},L=class{constructor(t,n=0,s=void 0){this.items=t,this.min=n,this.max=s}refuse(t){let n=qe(t.
length,this.min,this.max);return n?["E208",`an array of ${n} items`]:null}},O=class{constructor(t=[],n=null){this.extra=
n,this.needs=t.filter(s=>s.required),this.params=[...this.needs,...t.filter(s=>!s.required)],this.byName=new Map(this.params.
map(s=>[s.name,s])),this.isMap=t.length===0&&n!==null}typeOf(t){return this.byName.get(t)?.type??this.extra}inOrder(t){return[
...this.params.map(s=>s.name).filter(s=>T(t,s)),...C(Object.keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.
params.map(o=>T(t,o.name)?o:null);for(;n.length&&n.at(-1)===null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).
length;s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(
o=>!i.has(o))}}},$=class{constructor(t={}){this.null=t.null??!1,this.booleans=t.booleans??[],this.number=t.number??null,
this.string=t.string??null,this.array=t.array??null,this.object=t.object??null,this.isWordy=this.string!==null&&!this.null&&
this.booleans.length===0}get hasLabels(){return this.string?.values!==void 0}takesBare(t){return!(this.null&&t==="null"||
this.booleans.length>0&&(t==="true"||t==="false")||this.number!==null&&Le.test(t))}refuse(t){return typeof t=="string"?this.
string?this.string.refuse(t):this.wrongKind():b(t)?this.number?this.number.refuse(t):this.wrongKind():t===null?this.null?
null:this.wrongKind():typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():Array.isArray(t)?this.array?this.
array.refuse(t):this.wrongKind():this.object?null:this.wrongKind()}wrongKind(){return["E203",this.noun]}get noun(){return[
this.string?.noun,this.number?.noun,this.array&&"an array",this.object&&"an object",this.booleans.join(" or "),this.null&&
"null"].filter(Boolean).join(" or ")||"nothing"}};function ss(){let e=new $({null:!0,booleans:[!1,!0],number:new E({integer:!1}),
string:new j});return Object.assign(e,{array:new L(e),object:new O([],e)})}var p=ss(),mt=p.object,A=new $({...p}),Ft=new $,
De=8;function ze(e){if(e.length===1)return e[0];let t=e.length>De?`, \u2026 (${e.length} in all)`:"";return`one of ${e.slice(
0,De).join(", ")}${t}`}function qe(e,t,n){return e<t?`at least ${t}`:n!==void 0&&e>n?`at most ${n}`:""}function N(e,t){return e===t||e.null===t.null&&Be(e.booleans,t.booleans)&&H(e.number,t.number)&&H(e.string,t.string)&&H(
e.array,t.array)&&H(e.object,t.object)}function H(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof O&&
t instanceof O)return rs(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max"].every(r=>n[r]==s[r])&&Be(e.values,t.values)&&(!(e instanceof L)||N(e.items,t.items))}function rs(e,t){if(e.
params.length!==t.params.length||e.extra===null!=(t.extra===null))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.
required&&N(s.type,r.type);return e.params.every((s,r)=>n(s,t.params[r]))&&(e.extra===null||N(e.extra,t.extra))}function Be(e,t){
return e===t||e!==void 0&&t!==void 0&&e.length===t.length&&e.every((n,s)=>n==t[s])}var nt=[];for(let e=2;nt.length<64;e+=1)nt.every(t=>e%t)&&nt.push(e);var Ue=e=>e%1*2**32|0,is=nt.slice(0,8).map(e=>Ue(Math.
sqrt(e))),os=nt.map(e=>Ue(Math.cbrt(e))),_=(e,t)=>e>>>t|e<<32-t;function He(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...is],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)as(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function as(e,t,n,s){for(let l=0;l<64;l+=1)if(l<16)n[l]=e.getInt32(
t+4*l);else{let[y,S]=[n[l-15],n[l-2]],Ct=_(y,7)^_(y,18)^y>>>3,Pn=_(S,17)^_(S,19)^S>>>10;n[l]=n[l-16]+Ct+n[l-7]+Pn}let[r,
i,o,a,c,u,f,d]=s;for(let l=0;l<64;l+=1){let y=d+(_(c,6)^_(c,11)^_(c,25))+(c&u^~c&f)+os[l]+n[l]|0,S=(_(r,2)^_(r,13)^_(r,22))+
(r&i^r&o^i&o)|0;[d,f,u,c,a,o,i,r]=[f,u,c,a+y|0,o,i,r,y+S|0]}[r,i,o,a,c,u,f,d].forEach((l,y)=>s[y]=s[y]+l|0)}var cs=new Set(["any","bool","false","int","never","null","num","str","true"]),dt="...",us="str|num|bool|[any]|{any}|nul\
l";function Xt(e,t=!0){return Kt(e)+new rt(t).members(e.args)}function Jt(e){let t=e.map(n=>Xt(n,!1)).map(n=>[[...n].map(
s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>fs(n,s)),He(t.map(([,n])=>n).join(`
`)).slice(0,8)}function fs(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function Kt(e){
return e.alias?`${st(e.alias)}=${st(e.name)}`:st(e.name)}function gt(e){return e===dt?`"${e}"`:st(e)}function st(e){return lt(
e)?e:Yt(e)}function Yt(e){let t=F.test(e)?null:pt(e),n=s=>`\\u${s.codePointAt(0).toString(16).padStart(4,"0")}`;return t??
`@${JSON.stringify(e).replace(new RegExp(F,"gu"),n)}`}function We(e){return Ht.test(e)&&p.takesBare(e)?e:Yt(e)}var rt=class{constructor(t=!0){
this.defaults=t}members(t){return`(${this.parts(t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(
s),s]);return t.extra?[...n,[`${dt}:${this.type(t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=gt(t.name)+(t.required?
"":"?")+(n==="str"?"":`:${n}`);return this.defaults&&t.default!==void 0&&t.default!==null?`${s}=${Gt(t.default)}`:s}type(t){
if(N(t,p))return"any";let{string:n,number:s,booleans:r,array:i,object:o}=t,a=[];n&&a.push(...n.values?n.values.map(hs):[
"str"]),s&&a.push(...s.values?s.values.map(X):[s.integer?"int":"num"]),r.length&&a.push(r.length>1?"bool":String(r[0])),
i&&a.push(`[${this.type(i.items)}]`),o&&a.push(o.isMap?`{${this.type(o.extra)}}`:this.object(o)),t.null&&a.push("null");
let c=a.join("|")||"never";return c===us?"any":c}object(t){return this.members(t)}};function hs(e){return cs.has(e)||e.startsWith(
"@")?Yt(e):We(e)}function Gt(e){return typeof e=="string"?We(e):b(e)?X(e):Array.isArray(e)?`[${e.map(Gt).join(" ")}]`:e instanceof
Map?`{${[...e].map(([t,n])=>`${st(t)} ${Gt(n)}`).join(" ")}}`:String(e)}var ls=20,ps=/[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,ms=new RegExp(F,"gu"),Zt="Tools: \
name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default; a|b is \
a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",ds={wire:`${Zt} its name and the val\
ues in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key\
 value}; _ for what you leave out, or name=value.`,keyed:`${Zt} its name, then name=value for each, with spaces between;\
 "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${Zt} name(par\
ameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function Ge(e,{descriptions:t=!0,
primer:n}={}){let s=new Vt(t),r=[...s.define(e.map(o=>o.args)),...e.map(o=>s.tool(o))],i=n&&ds[n];return[...i?[i]:[],...r].
join(`
`)}var Vt=class e extends rt{constructor(t){super(),this.descriptions=t,this.names=new Map}tool(t){let n=Kt(t);if(!this.
descriptions)return n+this.members(t.args);let s=[Fe(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${Fe(r,
i?.description??"")}`),i&&s.push(...this.inside(i.type,gt(i.name)));return s.join(`
`)}define(t){let n=t.flatMap(o=>[...Xe(o,"")]).map(([o,a])=>({name:o,node:a,text:this.text(a)})),s=new Map;for(let{text:o}of n)
s.set(o,(s.get(o)??0)+1);let r=new Set,i=[];for(let{name:o,node:a,text:c}of n){if(s.get(c)<2||[...c].length<ls||this.names.
has(c))continue;let u=this.members(a),f=lt(o)?o:"object",d=f;for(let l=2;r.has(d);l+=1)d=`${f}${l}`;r.add(d),this.names.
set(c,`@${d}`),i.push([`@${d}=${u}`,...this.descriptions?this.about(a,""):[]].join(`
`))}return i}object(t){return this.names.size&&this.names.get(this.text(t))||super.object(t)}text(t){let n=new e(!0);return[
n.members(t),...this.descriptions?n.about(t,""):[]].join(`
`)}inside(t,n){if(t===p)return[];let s=t.array?this.inside(t.array.items,n):[],{object:r}=t;return r&&!(this.names.size&&
this.names.has(this.text(r)))&&s.push(...this.about(r,`${n}.`)),s}about(t,n){let s=t.params.flatMap(r=>{let i=n+gt(r.name),
o=Je(r.description);return[...o?[`  ${i} ${o}`]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.inside(t.extra,
n+dt)]:s}};function*Xe(e,t){for(let n of e.params)yield*Qt(n.type,n.name);e.extra&&(yield*Qt(e.extra,t))}function*Qt(e,t){
e!==p&&(e.array&&(yield*Qt(e.array.items,t)),e.object&&(yield*Xe(e.object,t),e.object.params.length&&(yield[t,e.object])))}
function Fe(e,t){let n=Je(t);return n?`${e} ${n}`:e}function Je(e){return e.split(ps).filter(Boolean).join(" ").replace(
ms,"\uFFFD")}var Ke=1e6;function z(e){if(e.some(r=>N(r,p)))return{type:p,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(u=>u!==null);if(o.
every(u=>H(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>H(u,a)),a};return{type:new $({null:e.some(r=>r.
null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),gs),string:n(e.map(r=>r.
string),ys),array:n(e.map(r=>r.array),bs),object:n(e.map(r=>r.object),ws)}),isExact:t}}function gs(e){let t=e.every(i=>i.
integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[G(o),o]));return[new E({integer:t,
values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new E({integer:t}),!1];let n=i=>{let o=e.map(a=>a[i]);
return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?Ye:Ze)},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n(
"exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new E({integer:t,...s,...r}),!1]}var Ye=(e,t)=>t<e?t:
e,Ze=(e,t)=>t>e?t:e;function ys(e){return e.every(t=>t.values)?[new j({values:[...new Set(e.flatMap(t=>t.values))]}),!0]:
e.some(t=>t.values)?[new j,!1]:[new j({min:Math.min(...e.map(t=>t.min)),max:Ve(e)}),!1]}function bs(e){let t=z(e.map(n=>n.
items)).type;return[new L(t,Math.min(...e.map(n=>n.min)),Ve(e)),!1]}function Ve(e){let t=e.map(n=>n.max);return t.includes(
void 0)?void 0:Math.max(...t)}function Qe(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):
void 0}function ve(e,t){let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);if(n.size*
t.length>Ke)throw new h("E505",`objects combine to over ${Ke} members`);return n}function ws(e){let t=e.filter(r=>r.extra!==
null&&r.extra!==A),n=[...ve(e,t)].map(([r,i])=>{let o=t.filter(c=>!c.byName.has(r)).map(c=>c.extra),a=z([...i.map(c=>c.type),
...o]).type;return{...i[0],type:a,required:i.length===e.length&&i.every(c=>c.required)}}),s=null;return t.length?s=z(t.map(
r=>r.extra)).type:e.some(r=>r.extra===A)&&(s=A),[new O(n,s),!1]}function tn(e,t){let n=e.map(o=>o.object).filter(o=>o?.extra===
A),s=new Map;for(let o of n)for(let a of o.byName.keys())s.set(a,(s.get(a)??0)+1);let r=([o,a])=>a<n.length&&t.some(c=>c.
has(o)),i=new Set([...s].filter(r).map(([o])=>o));return i.size?e.map(o=>o.object?.extra!==A?o:new $({...o,object:new O(
o.object.params.filter(a=>!i.has(a.name)),A)})):e}function en(e){let t=r=>e.filter(r).length,n=e.flatMap(r=>r.booleans),
s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.length>1&&(i.some(a=>!a.values)||new Set(o.map(String)).
size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||s(e.map(r=>r.number))||s(e.map(r=>r.string))||t(r=>r.array)>
1||t(r=>r.object)>1}function it(e){let t=e.filter(s=>!N(s,p));if(t.length<2)return t[0]??p;let n=(s,r)=>{let i=s.filter(
o=>o!==null);return i.length<s.length?null:i.every(o=>H(o,i[0]))?i[0]:r(i)};return new $({null:t.every(s=>s.null),booleans:[
!1,!0].filter(s=>t.every(r=>r.booleans.includes(s))),number:n(t.map(s=>s.number),xs),string:n(t.map(s=>s.string),$s),array:n(
t.map(s=>s.array),As),object:n(t.map(s=>s.object),Ss)})}function xs(e){let t=e.some(c=>c.integer),n=c=>{let u=e.map(f=>f[c]).
filter(f=>f!==void 0);return u.length?u.reduce(/min/i.test(c)?Ze:Ye):void 0},s={minimum:n("minimum"),maximum:n("maximum")},
r={exclusiveMinimum:n("exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")},i=new E({integer:t,...s,...r}),o=e.filter(
c=>c.values);if(!o.length)return i;let a=o[0].values.filter(c=>[i,...o].every(u=>u.refuse(c)===null));return a.length?new E(
{integer:t,values:a}):null}function $s(e){let t=new j({min:Math.max(...e.map(r=>r.min)),max:Qe(e)}),n=e.filter(r=>r.values);
if(!n.length)return t;let s=n[0].values.filter(r=>[t,...n].every(i=>i.refuse(r)===null));return s.length?new j({values:s}):
null}function As(e){let t=it(e.map(n=>n.items));return new L(t,Math.max(...e.map(n=>n.min)),Qe(e))}function Ss(e){let t=e.
filter(s=>s.extra!==A&&!(s.extra&&N(s.extra,p))),n=[];for(let[s,r]of ve(e,t)){let i=r.some(u=>u.required),o=t.filter(u=>!u.
byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}let a=it([...r.map(u=>u.type),...o]),c=r.find(
u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}return new O(n,Os(e.map(s=>s.extra)))}function Os(e){
if(e.includes(null))return null;let t=e.filter(s=>s!==A);return t.length<e.length&&t.every(s=>N(s,p))?A:it(t)}var k=class extends Error{};function wt(e){return vt(e,"u")||vt(e,"")}function vt(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var ks=`
\r\u2028\u2029`,nn={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},sn=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),te=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new k;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!ks.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new k;t=this.choice()}
if(!this.skip(")"))throw new k;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>sn(
r[i-1])!==sn(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new k;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new k;
if("dDwWsS".includes(t))return rn(`\\${t}`);if(t in nn)return nn[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new k;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new k;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!vt(r,"u"))throw new k;return this.pos+=s[0].length,rn(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new k;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new k;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function rn(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function yt(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+yt(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+yt(e.part);if(e.kind!=="repeat")return 1;let t=yt(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function bt(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+bt(n),0):e.kind==="any"?Math.min(...e.parts.map(bt)):e.kind==="repeat"?e.low*bt(e.part):0}var V=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new te(t).pattern(),s=yt(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
k||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?bt(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new ee(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},ee=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var Ms=/^(\d{4})-(\d\d)-(\d\d)$/,Es=1440,js=/^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i,
Ns=/^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/,
on=String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`,Is=new RegExp(String.
raw`^(?:${on}(?:\.${on})*|"[^"\r\n]*")@([^]+)$`),Ts=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,Rs=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
Ps=/^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u,Ls=/^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,
ne=String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef`+Array.from({length:13},(e,t)=>(t+1).toString(16)).map(e=>String.raw`\u{${e}0000}-\u{${e}fffd}`).
join("")+String.raw`\u{e1000}-\u{efffd}`,ln=String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;function $t(e){
return new RegExp(String.raw`[^%${e}]|%(?![\da-fA-F]{2})`,"u")}var se=String.raw`\w.~!$&'()*+,;=:@\/?\-`,an=$t(se),_s=$t(
se+ne),Cs=$t(se+ne+ln),Ds=$t(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-`+ne+ln),cn=String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`,
zs=new RegExp(String.raw`\{[+#./;?&=,!@|]?${cn}(?:,${cn})*\}`,"gi"),qs=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,
Bs=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,Us=/^(?:0|[1-9]\d{0,2})$/,Hs=/^[\da-f]{1,4}$/i;function un(e){let[,t,n,s]=Ms.exec(
e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,
31,30,31,30,31][n-1]}function fn(e){let[t,n,s,r,i,...o]=js.exec(e)??[];if(t===void 0)return!1;if(r!=="60")return!0;let a=i?
+`${i}1`*(Number(o[0])*60+Number(o[1])):0;return(Number(n)*60+Number(s)-a+1)%Es===0}function hn(e,t=pn){let n=Is.exec(e)?.[1]??
"",s=/^\[([^]*)\]$/.exec(n)?.[1];return s===void 0?t(n)&&!n.endsWith("."):s.startsWith("IPv6:")?ie(s.slice(5)):re(s)}function pn(e){
let t=e.replace(/\.$/,"");return t.length<=253&&t.split(".").every(n=>Ts.test(n))}function Ws(e){let t=n=>x(n)<=63&&Ps.test(
n)&&!/^-|-$/.test(n);return x(e)<=253&&e.split(".").every(t)}function re(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>Us.test(n)&&Number(n)<256)}function ie(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!re(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>Hs.test(o))&&(t.length===2?i<8:i===8)}function xt(e,t,n){let s=Ls.exec(e);if(!s)return!1;
let[,r,i="",o="",a="",c=""]=s;if(r===void 0&&(!t||o.split("/",1)[0].includes(":")))return!1;let u=n?_s:an,f=n?Cs:an;return Fs(
i,u)&&!u.test(o)&&!f.test(a)&&!u.test(c)}function Fs(e,t){let n=qs.exec(e);if(!n)return!1;let[,s="",r,i=""]=n;return r!==
void 0&&!Bs.test(r)&&!ie(r)?!1:!t.test(s)&&!t.test(i)}function mn(e){return(e===""||e.startsWith("/"))&&!/~(?![01])/.test(
e)}function Gs(e){let t=/^(?:0|[1-9]\d*)/.exec(e)?.[0],n=e.slice(t?.length);return t!==void 0&&(n==="#"||mn(n))}var At=new Map(
[["date",un],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&un(e.slice(0,10))&&fn(e.slice(11))],["duration",e=>Ns.test(e)],["\
email",e=>hn(e)],["hostname",pn],["idn-email",e=>hn(e,Ws)],["ipv4",re],["ipv6",ie],["iri",e=>xt(e,!1,!0)],["iri-referenc\
e",e=>xt(e,!0,!0)],["json-pointer",mn],["regex",wt],["relative-json-pointer",Gs],["time",fn],["uri",e=>xt(e,!1,!1)],["ur\
i-reference",e=>xt(e,!0,!1)],["uri-template",e=>!Ds.test(e.replace(zs,"-"))],["uuid",e=>Rs.test(e)]]);var Mt=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],R=e=>new Set(e.split(" ")),Xs=R("const default exampl\
e type"),Js="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|number float Float \
double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array ArrayList Queue Stac\
k|object dict Dict Object Map HashMap Hashtable|any Any",ot=new Map([["","any"]]);for(let e of Js.split("|"))for(let t of e.
split(" "))ot.set(t,e.split(" ")[0]);var Ks=new Map([["array","items"],["object","additionalProperties"]]);function m(e){
return e instanceof Map}var Et=2020,yn=new Map;for(let[e,t]of[[6,"const contains propertyNames"],[7,"else if then"],[2019,
"$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties"],[Et,"\
$dynamicRef prefixItems"]])for(let n of t.split(" "))yn.set(n,e);function jt(e,t,n,s){let r=c=>!n||(yn.get(c)??0)<=s,i=new Map(
[...e].filter(([c,u])=>(u!==null||Xs.has(c))&&r(c))),o=e.get("type"),a=typeof o=="string"&&!["any","object"].includes(ot.
get(o)??"any");typeof i.get("required")=="boolean"&&a&&i.delete("required");for(let[c,u]of[["minimum","exclusiveMinimum"],
["maximum","exclusiveMaximum"]]){let f=i.get(u);typeof f=="boolean"&&(i.delete(u),!(!f||!i.has(c))&&(i.set(u,i.get(c)),i.
delete(c)))}return i.has("type")?Ys(i,t,n):i}function Ys(e,t,n){let s=e.get("type"),r=typeof s=="string"&&!ot.has(s)?Zs(
s):null;r&&(e=new Map([...r,...e]),s=r.get("type")),at("type",s,`${t}/type`);let i=[s].flat().map(f=>ot.get(f)),o=i.indexOf(
void 0);if(o>=0)throw new h("E501",`no type has the name ${g([s].flat()[o])}`,{pointer:`${t}/type`});i.includes("any")?e.
delete("type"):e.set("type",i);let a=e.get("enum"),c=e.get("items")??new Map,u=Array.isArray(a)&&a.length>0&&!a.some(Array.
isArray);return i.join()==="array"&&m(c)&&u&&!n&&(e.set("items",new Map([...c,["enum",a]])),e.delete("enum")),e}function Zs(e){
let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&t.endsWith("]"),s=n?t.slice(9,-1):
t,r=s.indexOf("["),i=ot.get(r<0?s:s.slice(0,r)),o=Ks.get(i??"");if(i===void 0||r>=0&&!(o&&s.endsWith("]")))return null;let a=new Map(
[["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),f=i==="array"?c:u<0?"":c.slice(u+1);a.set(o,new Map([["typ\
e",f.trim()]]))}return n?a.set("nullable",!0):a}var Vs=R("$defs additionalItems additionalProperties const contains defa\
ult definitions dependencies dependentSchemas else example if items not patternProperties properties propertyNames then \
unevaluatedItems unevaluatedProperties");function bn(e){let t=r=>m(r)&&typeof r.get("type")=="string";if(e.size===0||![...e.
values()].every(t)||[...e.keys()].some(r=>Vs.has(r)))return e;let s=[...e].filter(([,r])=>!r.has("default")&&!r.get("typ\
e").endsWith("optional"));return new Map([["type","object"],["properties",e],["required",s.map(([r])=>r)]])}var ae=e=>typeof e==
"string",ce=e=>typeof e=="boolean",Nt=e=>typeof e=="string"&&!U.test(e),St=e=>typeof e=="bigint"?ht(e):typeof e=="number"&&
Number.isFinite(e),Qs=e=>b(e)&&St(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),oe=e=>Array.isArray(e)&&e.every(Nt),
vs=e=>Array.isArray(e)&&e.length>0,dn=e=>ce(e)||m(e),gn=e=>ae(e)&&wt(e),tr=e=>m(e)&&[...e.keys()].every(Nt),wn=new Map;for(let[
e,t]of[["$ref format $dynamicRef $recursiveRef",ae],["type",n=>ae(n)||oe(n)],["required",oe],["additionalItems",dn],["it\
ems",n=>dn(n)||Array.isArray(n)],["pattern",gn],["patternProperties",n=>m(n)&&[...n.keys()].every(gn)],["prefixItems",Array.
isArray],["dependencies dependentSchemas",tr],["properties",m],["enum",Array.isArray],["anyOf oneOf allOf",vs],["minCont\
ains maxContains minItems maxItems minLength maxLength minProperties maxProperties",Qs],["nullable uniqueItems",ce],["mu\
ltipleOf",n=>b(n)&&St(n)&&n>0],["dependentRequired",n=>m(n)&&[...n.values()].every(oe)],[Mt.join(" "),St]])for(let n of e.
split(" "))wn.set(n,t);function at(e,t,n){if(wn.get(e)?.(t)===!1)throw new h("E502",`${e} cannot be ${g(t)}`,{pointer:n});
if(e==="properties")for(let s of t.keys())Ot(s,n);if(e==="required"&&Array.isArray(t))for(let s of t)Ot(s,n)}function Ot(e,t){
let n=F.exec(e)?.[0];if(n===void 0)return;let s=n.codePointAt(0).toString(16).toUpperCase().padStart(4,"0");throw new h(
"E502",`${g(e)} cannot be a name: U+${s}`,{pointer:t})}function ue(e){return e===null||ce(e)||Nt(e)||St(e)}function kt(e,t=0){
return t>64?!1:m(e)?[...e].every(([n,s])=>Nt(n)&&kt(s,t+1)):Array.isArray(e)?e.every(n=>kt(n,t+1)):ue(e)}var er=R("additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluate\
dProperties"),nr=R("allOf anyOf items oneOf prefixItems"),sr=R("$defs definitions dependencies dependentSchemas patternP\
roperties properties"),fe="lton:///";function ct({draft:e}){return e<2019}function It({draft:e}){return e<6?"id":"$id"}var Q=class e{constructor(t,n){
this.resource=t,this.known=n}static of(t){let n=new he(t);return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){
return t===this.resource.schema||!t.has(It(this.resource))?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){
let[s,r]=$n(this.resource.address,t)??[],i=s===void 0?void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;
throw new h("E504",`no schema here has the name ${JSON.stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=or(n);if(s===
"")return{target:t.schema,scope:this.in(t)};if(!s.startsWith("/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,
scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split("/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.
isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=m(r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(
r,t)}return{target:r,scope:this.in(t)}}},he=class{constructor(t){this.byAddress=new Map,this.bySchema=new Map,this.root=
xn(t,{address:"",draft:Et})}resourceOf(t,n){return this.look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),
this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of rr(this.root))this.byAddress.set(t.address,t),this.bySchema.
set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.root)}}};function rr(e){let t=[e],n=[[e.schema,e]],s=new Set;
for(;n.length;){let[r,i]=n.pop();if(!m(r)||s.has(r))continue;s.add(r);let o=r.get(It(i));if(o!=null&&typeof o!="string"&&
It(i)==="$id")throw le();typeof o=="string"&&r!==e.schema&&!(ct(i)&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(
1),r):t.push(i=xn(r,i)));for(let a of["$anchor","$dynamicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),
a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of ir(r))n.push([a,i])}return t}function xn(e,t){let{draft:n}=t,s=m(
e)?e.get("$schema"):void 0;if(typeof s=="string"){let o=/draft-0([0-9])|draft\/([0-9]{4})-/.exec(s);n=o?Number(o[1]??o[2]):
Et}let r=m(e)?e.get(It({draft:n})):void 0,i=typeof r=="string"?$n(t.address,r)?.[0]:"";if(i===void 0)throw le();return{address:i,
schema:e,draft:n,anchors:new Map,dynamic:new Map}}function*ir(e){for(let[t,n]of e)if(sr.has(t)&&n!==null){if(!m(n))throw le();
yield*n.values()}else nr.has(t)&&Array.isArray(n)?yield*n:er.has(t)&&(yield n)}function le(){return new h("E502","expect\
ed a schema, found something else in a part of it")}function $n(e,t){let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")
return[e,s];try{let r=new URL(n,e.includes(":")?e:fe+e).href;return[r.startsWith(fe)?r.slice(fe.length):r,s]}catch{return null}}
function or(e){try{return decodeURIComponent(e)}catch{return e}}var pe=1e7,ar=20,cr=30,ur=100,fr=R("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),Lt=class extends Error{};
function En(e,t){let n=Q.of(e),s=new me(t);return r=>{let i=new de(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
Lt)return{path:[],problem:`it takes more than ${pe} steps to check the arguments`,code:"E506"};if(o instanceof h||o instanceof
RangeError)return w(`the arguments cannot be checked: ${o.message}`);throw o}}}var me=class{constructor(t){this.standard=
t,this.plans=new Map,this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=hr(t,n,this.
standard),i=[...xr].filter(([a])=>r.has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedPr\
operties");s={keywords:r,judges:i,asksForMarks:o,isKept:[...r.keys()].some(a=>fr.has(a))},this.plans.set(t,s)}return s}matcher(t){
let n=this.matchers.get(t);return n===void 0&&this.matchers.set(t,n=V.of(t)),n}},de=class{constructor(t,n,s){this.value=
t,this.known=n,this.formats=s,this.steps=0,this.limit=pe,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=
this.limit)&&(this.limit=pe+ar*q(this.value),this.steps>this.limit))throw new Lt}}judge(t,n,s,r,i){if(!m(t))return t===!1?
w("nothing is allowed here"):null;this.spend(ur),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.
plan(t,s.resource),a=i===null&&o.isKept?this.keptOf(t,n):null,c=a?.find(([l])=>l.length===r.length&&l.every((y,S)=>y===r[S]));
if(c)return c[1];this.spend(20*o.judges.length);let u=i??(o.asksForMarks?new Set:null),f=new ge(this,o.keywords,s,r,u),d=null;
for(let[[l,y],S]of o.judges)if(l(n)&&(d=y(S,n,f)))break;return a?.push([r,d]),d}keptOf(t,n){let s=this.judged.get(t)??new Map,
r=s.get(n)??[];return s.set(n,r),this.judged.set(t,s),r}},ge=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.
scope=s,this.around=r,this.marks=i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.
marks&&new Set,r=this.judge(t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.
judge(t,n);return r&&{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.
at(s)}}at(t){return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.
search(n,this.run.spend)??null}};function w(e){return{path:[],problem:e,code:"E214"}}function q(e){let t=cr;if(typeof e==
"string")t+=x(e);else if(Array.isArray(e))for(let n of e)t+=q(n);else if(typeof e=="object"&&e!==null){let n=e instanceof
Map?e:Object.entries(e);for(let[s,r]of n)t+=x(s)+q(r)}return t}function K(e){return b(e)?String(G(e)):Array.isArray(e)?`\
[${e.map(K).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([
n,s])=>`${JSON.stringify(n)}:${K(s)}`).sort().join()}}`}function hr(e,t,n){let s=new Map(jt(e,"",n,t.draft));if(ct(t)&&s.
has("$ref"))return new Map([["$ref",s.get("$ref")]]);Array.isArray(s.get("items"))&&(s.set("prefixItems",s.get("items")),
s.delete("items"),s.has("additionalItems")&&s.set("items",s.get("additionalItems")));for(let[i,o]of s.get("dependencies")??
[]){let a=Array.isArray(o)?"dependentRequired":"dependentSchemas";s.set(a,new Map([...s.get(a)??[],[i,o]]))}for(let[i,o]of s)
at(i,o,"");let r=s.get("nullable")===!0;return s.delete("nullable"),r?new Map([["anyOf",[s,new Map([["type",["null"]]])]]]):
s}var P=()=>!0,ut=e=>typeof e=="string",W=e=>Array.isArray(e),lr={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>b(
e)&&ft(e),number:b,string:ut,array:W,object:M};function I(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var Tt=(e,t)=>(n,s)=>t(
s,n)?null:w(`${s} is not ${e} ${String(n)}`),v=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:w(`a size of ${i}, not ${e}\
 ${String(s)}`)},Rt=(e,t)=>e>=t,Pt=(e,t)=>e<=t,An=e=>Object.keys(e).length;function Sn(e){if(typeof e=="bigint")return[e,
0];let[t="",n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-
s-1)]}function pr(e,t){let[[n,s],[r,i]]=[Sn(e),Sn(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}
var On=(e,t)=>{let n=e.find(s=>!T(t,s));return n===void 0?null:w(`${g(n)} is missing`)},kn=(e,t,n,s)=>e===!1?w(`${g(n)} \
is not allowed here`):s.inner(e,t[n],n);function jn(e,t){let n=Math.max(...e.map(r=>r.path.length)),s=e.filter(r=>r.path.
length===n);return s.length===1?s[0]:w(`${g(t)} is allowed by no schema`)}function mr(e,t,n){let s=t.flatMap((o,a)=>n.judge(
e,o)?[]:[a]);for(let o of s)n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;
return r<=s.length&&s.length<=i?null:w(`${s.length} items match \`contains\``)}function dr(e,t,n){let{target:s,there:r}=n.
lookup(e),i=e.slice(e.lastIndexOf("#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(
a=>a.dynamic.has(i));s=o.dynamic.get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function gr(e,t,n){let{target:s,there:r}=n.
lookup(e),i=o=>m(o)&&o.get("$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=
o.schema,r=r.at(r.scope.in(o))}return r.beside(s,t)}function yr(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)
s.push(i);else if(n.marks===null)return null}return s.length===e.length?jn(s,t):null}function br(e,t,n){let s=e.map(i=>n.
beside(i,t)).filter(i=>i!==null),r=e.length-s.length;return r>1?w(`${g(t)} is allowed by ${r} schemas, not by one`):r?null:
jn(s,t)}function wr(e,t,n){n.run.spend(q(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(e.map(K))),s.get(e).
has(K(t))}var xr=new Map([["type",[P,(e,t)=>e.some(n=>lr[n](t))?null:w(`${g(t)} is not of type ${String(e)}`)]],["enum",
[P,(e,t,n)=>wr(e,t,n)?null:w(`${g(t)} is not listed`)]],["const",[P,(e,t,n)=>(n.run.spend(q(t)+q(e)),K(t)===K(e)?null:w(
`${g(t)} is not ${g(e)}`))]],["minimum",[b,Tt("at least",Rt)]],["maximum",[b,Tt("at most",Pt)]],["exclusiveMinimum",[b,Tt(
"more than",(e,t)=>e>t)]],["exclusiveMaximum",[b,Tt("less than",(e,t)=>e<t)]],["multipleOf",[b,(e,t)=>pr(t,e)?null:w(`${t}\
 is not a multiple of ${String(e)}`)]],["minLength",[ut,v("at least",x,Rt)]],["maxLength",[ut,v("at most",x,Pt)]],["minI\
tems",[W,v("at least",e=>e.length,Rt)]],["maxItems",[W,v("at most",e=>e.length,Pt)]],["minProperties",[M,v("at least",An,
Rt)]],["maxProperties",[M,v("at most",An,Pt)]],["pattern",[ut,(e,t,n)=>n.matches(e,t)===!1?w(`${g(t)} does not match ${g(
e)}`):null]],["format",[ut,(e,t,n)=>{let s=n.run.formats?At.get(e):void 0;return s&&n.run.spend(t.length),s?.(t)===!1?w(
`${g(t)} is not a ${String(e)}`):null}]],["required",[M,(e,t)=>On(e,t)]],["dependentRequired",[M,(e,t)=>I(e,([n,s])=>T(t,
n)?On(s,t):null)]],["uniqueItems",[W,(e,t,n)=>(n.run.spend(q(t)),e&&new Set(t.map(K)).size<t.length?w("an item is there \
twice"):null)]],["propertyNames",[M,(e,t,n)=>{let s=I(Object.keys(t),r=>n.judge(e,r));return s&&{...s,path:[]}}]],["addi\
tionalProperties",[M,(e,t,n)=>{let s=n.keywords.get("properties"),r=[...n.keywords.get("patternProperties")?.keys()??[]],
i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return I(Object.keys(t),o=>i(o)?kn(e,t,o,n):null)}]],["prefixItems",[W,
(e,t,n)=>I(e.slice(0,t.length).entries(),([s,r])=>n.inner(r,t[s],s))]],["items",[W,(e,t,n)=>{let s=(n.keywords.get("pref\
ixItems")??[]).length;return I(t.slice(s).entries(),([r,i])=>n.inner(e,i,s+r))}]],["contains",[W,mr]],["properties",[M,(e,t,n)=>I(
Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],["patternProperties",[M,(e,t,n)=>I(e,([s,r])=>I(Object.keys(
t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[P,(e,t,n)=>{let{target:s,there:r}=n.lookup(e);return r.beside(s,
t)}]],["$dynamicRef",[P,dr]],["$recursiveRef",[P,gr]],["allOf",[P,(e,t,n)=>I(e,s=>n.beside(s,t))]],["anyOf",[P,yr]],["on\
eOf",[P,br]],["if",[P,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"then")??!0,t)]],["dependentSchemas",[M,(e,t,n)=>I(
e,([s,r])=>T(t,s)?n.beside(r,t):null)]],["not",[P,(e,t,n)=>n.judge(e,t)?null:w(`${g(t)} is what \`not\` excludes`)]],["u\
nevaluatedItems",[W,(e,t,n)=>I(t.entries(),([s,r])=>n.marks.has(s)?null:n.inner(e,r,s))]],["unevaluatedProperties",[M,(e,t,n)=>I(
Object.keys(t),s=>n.marks.has(s)?null:kn(e,t,s,n))]]]);var Ar=["enum","const","anyOf","oneOf","allOf"],Sr=["properties","additionalProperties","patternProperties","$ref",...Ar],
Or=[...R("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),...Mt],kr=R("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),Mr=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],Er=10;function In(e,t,n){!n&&m(e)&&(e=
jr(e));let s=new ye(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new h("E502","expected the schema of an obje\
ct",{pointer:t});return{args:r,isChecked:s.isChecked,notes:s.notes}}function jr(e){return Sr.some(n=>(e.get(n)??null)!==
null)?e:new Map([...e,["properties",new Map]])}var ye=class{constructor(t,n,s){this.root=n,this.standard=s,this.isChecked=
!1,this.notes={unmatched:[],unsayable:[]},this.positions=0,this.texts=0,this.repeated=0,this.steps=0,this.done=new Map,this.
open=new Map,this.mentioned=new Map,this.declared=[],this.scope=Q.of(m(t)?t:new Map),this.open.set(t,1)}count(t){if(this.
positions+=t,this.positions+Math.floor(this.repeated/100)>1e5)throw new h("E505",`a schema of more than ${1e5} positions`,
{pointer:this.root})}countTexts(t,n){this.texts+=t,n&&(this.repeated+=t),this.count(0)}mention(t,n){this.mentioned.set(t,
[...this.mentioned.get(t)??[],...n])}apart(t){let{mentioned:n,declared:s}=this;this.mentioned=new Map,this.declared=[];let r={
type:t(),mentioned:this.mentioned};return this.mentioned=n,this.declared=s,r}position(t,n,s,r){this.steps+=1;let{type:i,
mentioned:o}=this.apart(()=>this.schema(t,n,s,r));this.steps-=1;let{object:a}=i;if(a?.extra!==A)return i;let u=[...o.keys()].
filter(f=>!a.byName.has(f)).map(f=>({name:f,type:z(o.get(f)).type,required:!1,description:""}));return new $({...i,object:new O(
[...a.params,...u])})}schema(t,n,s,r){if(r>64)throw new h("E301",`nested deeper than ${64}`,{pointer:n});if(this.count(1),
typeof t=="boolean")return t?p:Ft;if(!m(t))throw new h("E502",`expected a schema, found ${g(t)}`,{pointer:n});s=s.inside(
t);let i=new be(this,jt(t,n,this.standard,s.resource.draft),n,s,r);i.look();try{let o=i.compile();return N(o,p)?p:o}catch(o){
throw!(o instanceof h)||o.pointer!==void 0?o:new h(o.code,o.problem,{pointer:n})}}},be=class{constructor(t,n,s,r,i){this.
run=t,this.keywords=n,this.place=s,this.scope=r,this.depth=i}at(...t){return this.place+tt(t)}inner(t,...n){return this.
run.position(t,this.at(...n),this.scope,this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.
depth+1)}all(t){return(this.keywords.get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??
new Map}look(){for(let[t,n]of this.keywords)at(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.
match([...n.keys()],t):t==="format"?this.run.isChecked||=!this.run.standard&&At.has(n):kr.has(t)&&!(t==="uniqueItems"&&n===
!1)&&(this.run.isChecked=!0)}match(t,n){let s=t.map(r=>V.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),
0)/Er)),s.includes(null)?this.run.notes.unmatched.push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,
s=[];if(t.has("$ref")&&(s.push(this.referenced(t.get("$ref"))),ct(this.scope.resource)))return s[0];let r=this.kinds();r&&
s.push(this.byKind(r));let i=n.declared;n.declared=[...i,...s.flatMap(a=>a.object?.byName??[])],t.has("enum")&&s.push(this.
listed("enum",t.get("enum"))),t.has("const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])
t.has(a)&&s.push(this.union(a));s.push(...this.all("allOf")),n.declared=i;let o=it(s);return this.mention(),this.checkHidden(),
t.get("nullable")?z([o,new $({null:!0})]).type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.
scope.lookup(t,s);if(n.open.has(r)){if(n.open.get(r)===n.steps)throw new h("E504","the reference names itself",{pointer:s});
return n.isChecked=!0,p}let o=n.done.get(r);if(o)n.count(o.positions),n.countTexts(o.texts,!0);else{t.startsWith("#/")&&
(s=n.root+t.slice(1));let{positions:a,texts:c}=n;n.open.set(r,n.steps);let u=n.apart(()=>n.schema(r,s,i,this.depth+1));n.
open.delete(r),o={...u,positions:n.positions-a,texts:n.texts-c},n.done.set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);
return o.type}union(t){let n=this.all(t),s=tn(n,this.run.declared),r=z(s);return(!r.isExact||s!==n||t==="oneOf"&&en(n))&&
(this.run.isChecked=!0),r.type}mention(){let t=[];for(let n of["if","then","else"])this.keywords.has(n)&&t.push(this.beside(
this.keywords.get(n),n));for(let n of["dependentSchemas","dependencies"])for(let[s,r]of this.members(n))Array.isArray(r)||
t.push(this.beside(r,n,s));for(let{object:n}of t)for(let s of n?.params??[])this.run.mention(s.name,[s.type])}checkHidden(){
this.keywords.has("not")&&this.beside(this.keywords.get("not"),"not");for(let t of["contains","propertyNames","unevaluat\
edItems","unevaluatedProperties"])this.keywords.has(t)&&this.inner(this.keywords.get(t),t)}listed(t,n){let s=n.filter(Nr);
s.length<n.length&&this.run.notes.unsayable.push(this.at(t));let r=s.filter(u=>typeof u=="object"&&u!==null);r.length&&(this.
run.isChecked=!0);let i=s.filter(u=>typeof u!="object"||u===null),o=i.find(u=>!ue(u));if(o!==void 0)throw new h("E502",`\
a label cannot be ${g(o)}`,{pointer:this.at(t)});let a=i.filter(b),c=i.filter(u=>typeof u=="string");return this.run.countTexts(
c.reduce((u,f)=>u+x(f),9*s.length),!1),new $({null:i.includes(null),booleans:[!1,!0].filter(u=>i.includes(u)),number:a.length?
new E({integer:a.every(u=>typeof u=="bigint"),values:a}):null,string:c.length?new j({values:[...new Set(c)]}):null,array:r.
some(Array.isArray)?p.array:null,object:r.some(m)?p.object:null})}kinds(){let{keywords:t}=this;if(t.has("type"))return t.
get("type");if(!Or.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:Mr.find(([s])=>t.has(s));return n?[n[1]]:
["null","boolean","number","string","array","object"]}byKind(t){let n=t.includes("number")||t.includes("integer");return new $(
{null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?this.number(!t.includes("number")):null,string:t.
includes("string")?new j({min:this.size("minLength")??0,max:this.size("maxLength")}):null,array:t.includes("array")?this.
array():null,object:t.includes("object")?this.object():null})}number(t){let n=Mt.map(s=>[s,this.keywords.get(s)]);return new E(
{integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.has(t)?Number(this.keywords.get(t)):void 0}array(){let t=this.
keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.isChecked=!0);let s=n?t:this.keywords.get("prefixItems")??[],r=n?
this.keywords.get("additionalItems")??!0:t,i=s.map((a,c)=>this.inner(a,n?"items":"prefixItems",c)),o=this.size("maxItems");
return r===!1&&(o=Math.min(o??1/0,s.length)),(r!==!1||!s.length)&&i.push(this.inner(r,n?"additionalItems":"items")),new L(
z(i).type,this.size("minItems")??0,o)}object(){let t=new Set(this.keywords.get("required")??[]),n=this.members("properti\
es"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),i=s===A?p:s??Ft,o=[...t].filter(a=>!n.has(a));return this.
run.count(o.length),new O([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],s)}extra(){let{keywords:t}=this,
n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.members("patternProperties");
for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedProperties")??!1)!==!1;return n===
void 0&&(this.run.standard||i)?p:n===void 0&&!s.length?t.has("properties")?A:p:n===!1&&!r.size?null:z(s).type}param(t,n,s){
let r=this.inner(n,"properties",t),i=m(n)?n:new Map,o=!1,a=i.get("$ref");if(typeof a=="string"&&a&&!i.get("description")){
let{target:l}=this.scope.inside(i).lookup(a,this.at("properties",t,"$ref"));o=m(l),m(l)&&(i=new Map([...l,...i]))}let c=i.
get("default"),u=i.get("description"),f=typeof u=="string"?u:"",d=c!==void 0&&kt(c)?c:void 0;return this.run.countTexts(
x(f)+(d===void 0?0:q(d)),o),{name:t,type:r,required:s,description:f,default:d}}};function Nr(e){return typeof e!="string"||
!U.test(e)}var Ir=["parameters","input_schema","inputSchema"],Tr=["properties","$ref","allOf","anyOf","oneOf"],_t=class e{constructor(t,n=[],s=[]){
if(this.tools=t,this.unmatched=n,this.unsayable=s,this.prints=new Map,this.byName=new Map(t.map(r=>[r.alias||r.name,r])),
this.byName.size<t.length||new Set(t.map(r=>r.name)).size<t.length)throw new h("E503","two tools have one name",{pointer:""})}static from(t,{
standard:n=!1}={}){let s=typeof t=="string"?Se(t):Oe(t),r=m(s)?s.get("tools")??[s]:s;if(!Array.isArray(r))throw new h("E\
502",`expected tool definitions, found ${g(r)}`,{pointer:""});let i={unmatched:[],unsayable:[]},o=r.map((a,c)=>Rr(a,`/${c}`,
n,i));return new e(o,i.unmatched,i.unsayable)}get fingerprint(){return Jt(this.tools)}fingerprintOf(t){let n=this.prints.
get(t.name)??Jt([t]);return this.prints.set(t.name,n),n}prompt(t={}){return Ge(this.tools,t)}get signatures(){return this.
tools.map(t=>Xt(t))}};function Rr(e,t,n,s){let r=m(e)?e.get("function"):void 0;if(m(r)&&([e,t]=[r,`${t}/function`]),!m(e))
throw new h("E502","expected a tool definition",{pointer:t});let i=!e.has("name")&&Tr.some(d=>e.has(d)),o=e.get(i?"title":
"name");if(typeof o!="string"||!o)throw new h("E502",`expected the name of a tool, found ${g(o)}`,{pointer:t});Ot(o,t);let a=Ir.
find(d=>(e.get(d)??null)!==null),c=i?e:new Map([["type","object"]]);!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),!n&&m(c)&&(c=bn(
c));let u=In(c,t,n);s.unmatched.push(...u.notes.unmatched),s.unsayable.push(...u.notes.unsayable);let f=e.get("descripti\
on");return{name:o,alias:"",description:typeof f=="string"?f:"",args:u.args,check:u.isChecked?En(c,n):null}}function Tn(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!Ne.includes(s))throw new h("E401",`no form has the name ${String(
s)}`);let i=new we(t,s,n),o=null;return[e].flat().map(c=>{if(typeof c!="object"||c===null)throw new h("E401","expected a\
 call or an answer",{path:""});if(!("arguments"in c))return i.answer(c);let u=i.call(c,r?null:o);return o=c.name,(r&&s!==
"tagged"?Ut:"")+u}).join(`
`)}var we=class e{constructor(t,n,s,r=!1){this.tools=t,this.form=n,this.options=s,this.onLines=r,this.isPunctuated=n==="\
punctuated",this.isExact=s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new h(
"E212",`without tools, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=Rn(t.arguments,i?.args??mt,
0,[]),a=i?.check?.(o);if(a)throw new h(a.code,a.problem,{path:tt(a.path)});let c=D(i?.alias||t.name)+(this.options.fingerprint&&
s&&i?`#${s.fingerprintOf(i)}`:"");if(r==="tagged")return`${Ut}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,p))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let f=r==="wire"&&t.name===n?"&":c;return u.length?`${f} ${this.row(u)}`:f}answer(t){return(t.
error&&!t.name?Re:`${t.error?Te:Ie}${this.answerName(t.name)} `)+new e(null,"wire",this.options,this.options.lines).value(
$e(t.value,p,0,[]),p)}answerName(t){return D(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||
U.test(t))throw new h("E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)
return n;throw new h("E201",`no tool ${JSON.stringify(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):et(t)}members(t,n){
let{row:s,keyed:r}=this.form==="wire"?n.arrange(t):{row:[],keyed:n.inOrder(t)},i=s.map(o=>o?this.value(t[o.name],o.type):
"_");for(let o of r)i.push(`${D(o)}=${this.value(t[o],n.typeOf(o)??p)}`);return i}pairs(t,n){let s=Object.keys(t);return(this.
onLines?s:C(s)).map(r=>`${D(r)} ${this.value(t[r],n)}`)}value(t,n){if(typeof t=="string")return _e(t,n.takesBare(t)&&(n.
hasLabels||!this.isPunctuated),this.isPunctuated);if(typeof t=="number")return this.number(t);if(typeof t!="object"||t===
null)return String(t);if(Array.isArray(t)){let o=n.array?.items??p,a=this.onLines?new e(null,"wire",this.options):this,c=()=>this.
row(t.map(u=>a.value(u,o)));return`[${a.table(t,o,[],this.onLines)??c()}]`}let s=n.object??mt;if(!s.isMap)return`(${this.
row(this.members(t,s))})`;let r=C(Object.keys(t));return`{${(this.onLines?null:this.table(r.map(o=>t[o]),s.extra,r.map(D)))??
this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(t,-0)?String(t):X(
t)}table(t,n,s=[],r=!1){if(this.isPunctuated||!n.object?.isMap||!t.length||!t.every(xe))return null;let i=t.map(l=>Object.
keys(l)),o=i.reduce((l,y)=>l+y.length,0),a=new Set(i.flat()).size;if(a+(a*t.length-o)>=o)return null;let c=this.columns(
t,n.object.extra,r),u=c.flatMap(l=>l.cells),f=t.map((l,y)=>{let S=u.map(Ct=>Ct[y]);for(;S.at(-1)==="_";)S.pop();return et(
[...s.slice(y,y+1),...S])}),d=`(${et(c.map(l=>l.head))})`;return r?`${t.length}${d}
${f.join(`
`)}`:`${d}${f.join(";")}`}columns(t,n,s){let r=new Set(t.flatMap(o=>Object.keys(o))),i=(s?[...r]:C(r)).map(o=>{let a=t.map(
u=>T(u,o)?u[o]:void 0);if(n.object?.isMap&&Lr(a)){let u=this.columns(a,n.object.extra,s);return{order:2,head:`${D(o)}(${et(
u.map(f=>f.head))})`,cells:u.flatMap(f=>f.cells)}}let c=a.map(u=>u===void 0?"_":this.value(u,n));return{order:_r(c.filter(
(u,f)=>a[f]!==void 0)),head:D(o),cells:[c]}});return s?i:i.sort((o,a)=>o.order-a.order)}groups(t,n){let{row:s,keyed:r}=n?.
arrange(t)??{row:[],keyed:C(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||!r.length?[`(${i.
join(" ")})`]:[];for(let a of r)o.push(`(${Wt(a)} ${this.atom(t[a],n?.typeOf(a)??p)})`);return o.join(`
`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return Z(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return Z(
"b",String(t));if(typeof t=="bigint")return Z(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return Z(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??p)).join(" ")}]`;let s=n.
object??mt;return`{${s.inOrder(t).map(r=>`${Wt(r)} ${this.atom(t[r],s.typeOf(r)??p)}`).join(" ")}}`}};function xe(e){return typeof e==
"object"&&e!==null&&!Array.isArray(e)}function Lr(e){let[t]=e;if(!xe(t))return!1;let n=Object.keys(t);return n.length>1&&
e.every(s=>xe(s)&&Object.keys(s).length===n.length&&n.every(r=>T(s,r)))}function _r(e){return e.some(t=>"\"'`[({".includes(
t[0]))?2:e.every(t=>"-0123456789".includes(t[0]))?0:1}function B(e,t,n){return new h(e,t,{path:tt(n)})}function $e(e,t,n,s){
Cr(e,s);let r=t.refuse(e);if(r)throw B(r[0],`expected ${r[1]}`,s);if(typeof e!="object"||e===null)return e;if(n>=64)throw B(
"E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>$e(i,t.array.items,n+1,[...s,o])):Rn(e,
t.object,n+1,s)}function Rn(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw B("E401","expected an objec\
t of arguments",s);let r=je();for(let[i,o]of e instanceof Map?e:Object.entries(e)){if(typeof i!="string"||U.test(i))throw B(
"E401","this cannot be a name",s);if(o===void 0)continue;let a=t.typeOf(i);if(!a)throw B("E202",`no parameter ${JSON.stringify(
i)}`,s);r[i]=$e(o,a,n,[...s,i])}for(let{name:i}of t.needs)if(!T(r,i))throw B("E205",`${JSON.stringify(i)} is required`,s);
return r}function Cr(e,t){if(typeof e=="string"){if(U.test(e))throw B("E401","U+0000 or a lone surrogate in a text",t)}else if(typeof e==
"bigint"){if(!ht(e))throw B("E302",`an integer of more than ${4096} digits`,t)}else if(typeof e=="number"?!Number.isFinite(
e):!Dr(e))throw B("E401",`${typeof e=="number"?String(e):`a ${typeof e} of this kind`} is no value of JSON`,t)}function Dr(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}return qn(zr);})();
