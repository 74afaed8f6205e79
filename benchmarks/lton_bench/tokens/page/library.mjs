// The package of js/, made by `node bench/page.mjs` there. Not to be edited.
export const library = (()=>{var jt=Object.defineProperty;var gn=Object.getOwnPropertyDescriptor;var yn=Object.getOwnPropertyNames;var bn=Object.prototype.hasOwnProperty;var wn=(e,t)=>{for(var n in t)jt(e,n,{get:t[n],enumerable:!0})},xn=(e,t,n,s)=>{if(t&&typeof t=="object"||typeof t=="func\
tion")for(let r of yn(t))!bn.call(e,r)&&r!==n&&jt(e,r,{get:()=>t[r],enumerable:!(s=gn(t,r))||s.enumerable});return e};var $n=e=>xn(jt({},"__esModule",{value:!0}),e);var cr={};wn(cr,{LtonError:()=>f,Toolset:()=>St,encode:()=>ln,sorted:()=>C});var f=class extends Error{constructor(t,n,s={}){let r=s.pos===void 0?s.path||s.pointer:`position ${s.pos}`;super(`${n}${r?
` (${r})`:""} [${t}]`),this.code=t,this.problem=n,this.name="LtonError",Object.assign(this,s)}};function v(e){let t="";for(let n of e)
t+=`/${String(n).replaceAll("~","~0").replaceAll("/","~1")}`;return t}function g(e){let t;return typeof e=="string"?t=JSON.
stringify(e.slice(0,41)):e===null||typeof e!="object"?t=String(e).slice(0,41):t=Array.isArray(e)?"an array":"an object",
t.length>40?`${t.slice(0,40)}\u2026`:t}var Et=1e3,kn=1e5,J=/[ \t\n\r]*/y,ae=/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,On=/-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y,
An=/true|false|null/y,Mn=new Map([["true",!0],["false",!1],["null",null]]);function ce(e){let t=new Nt(e),n=t.value(0);if(t.
pos<e.length)throw t.unexpected("the end of the text");return n}var Nt=class{constructor(t){this.text=t,this.pos=0}value(t){
if(this.match(J),t>Et)throw this.unexpected("less nesting");let n=this.unspaced(t);return this.match(J),n}unspaced(t){let n=this.
match(ae);if(n)return JSON.parse(n[0]);let s=this.match(On);if(s)return this.number(s);let r=this.match(An);if(r)return Mn.
get(r[0]);if(this.skip("["))return this.array(t+1);if(this.skip("{"))return this.object(t+1);throw this.unexpected("a va\
lue")}number([t,n,s]){if(n||s)return Number(t);if(t.length>kn)throw this.unexpected("fewer digits");return t==="-0"?-0:BigInt(
t)}array(t){let n=[];if(this.match(J),this.skip("]"))return n;do n.push(this.value(t));while(this.skip(","));if(!this.skip(
"]"))throw this.unexpected("a comma or ]");return n}object(t){let n=new Map;if(this.match(J),this.skip("}"))return n;do{
this.match(J);let s=this.match(ae);if(!s)throw this.unexpected("a key in double quotes");if(this.match(J),!this.skip(":"))
throw this.unexpected("a colon");n.set(JSON.parse(s[0]),this.value(t))}while(this.skip(","));if(!this.skip("}"))throw this.
unexpected("a comma or }");return n}skip(t){return this.text[this.pos]!==t?!1:(this.pos+=1,!0)}match(t){t.lastIndex=this.
pos;let n=t.exec(this.text);return n&&(this.pos+=n[0].length),n}unexpected(t){let[n=""]=this.text.slice(this.pos,this.pos+
2),s=n?JSON.stringify(n):"the end of the text";return new f("E502",`expected ${t}, found ${s}`,{pos:this.pos})}};function ue(e){
return fe(e,new Map,0)}function fe(e,t,n){if(typeof e=="number")return Number.isInteger(e)&&!Object.is(e,-0)?BigInt(e):e;
if(e===null||["boolean","bigint","string"].includes(typeof e))return e;if(typeof e!="object")throw new f("E502",`a ${typeof e}\
 is no JSON`);if(t.has(e)){let i=t.get(e);if(i===void 0)throw new f("E502","a definition contains itself");return i}if(n>
Et)throw new f("E301",`nested deeper than ${Et}`);t.set(e,void 0);let s=i=>fe(i,t,n+1),r=Array.isArray(e)?e.map(s):new Map(
[...Sn(e)].filter(([,i])=>i!==void 0).map(([i,o])=>[i,s(o)]));return t.set(e,r),r}function Sn(e){return e instanceof Map?
e:Object.entries(e)}var he=10n**BigInt(4095),B=/[\0\ud800-\udfff]/u,jn=/[\ud800-\udfff]/,En=/[\ud800-\udbff][\udc00-\udfff]/g;function H(e){
return jn.test(e)?e.length-(e.match(En)?.length??0):e.length}function M(e){return typeof e=="object"&&e!==null&&!Array.isArray(
e)}function y(e){return typeof e=="number"||typeof e=="bigint"}function ct(e){return typeof e=="bigint"||Number.isInteger(
e)}function ut(e){return-he<e&&e<he}function F(e){if(typeof e=="number")return Number.isInteger(e)&&!Number.isSafeInteger(
e)?BigInt(e):e;let t=Number(e);return Number.isSafeInteger(t)?t:e}function pe(){return Object.create(null)}var Nn=Object.
prototype.hasOwnProperty;function I(e,t){return Nn.call(e,t)}function C(e){return[...e].sort(In)}function In(e,t){let n=Math.
min(e.length,t.length);for(let s=0;s<n;s+=1){let[r,i]=[e.charCodeAt(s),t.charCodeAt(s)];if(r!==i)return r>=55296&&i>=55296?
le(r)-le(i):r-i}return e.length-t.length}function le(e){return e<57344?e+65536:e}var de=["wire","keyed","punctuated","tagged"],Tt="!call ",ge="!result ",ye="!error ",be="!error: ";var we=/^[A-Za-z0-9_./-]+$/,Tn=/^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/,xe=/^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;var Pn=/[\n\r]/,Rn=/(?:^|\n)(`{3,})/g,Ln=['"',"'","`"],_n=1,Cn=2,Dn=4,It=new Uint8Array(128);for(let e=0;e<128;e+=1){let t=String.
fromCharCode(e);/[A-Za-z0-9_./-]/.test(t)&&(It[e]|=_n),/[A-Za-z0-9_./:@+*-]/.test(t)&&(It[e]|=Cn),/[0-9]/.test(t)&&(It[e]|=
Dn)}function $e(e){return we.test(e)}var zn=/["'`)\]}]$/,Bn=/^[A-Za-z]/;function tt(e){let t=e[0]??"";for(let n=1;n<e.length;n+=1){let s=e[n];t+=(zn.test(e[n-
1])&&!Bn.test(s)?",":" ")+s}return t}function x(e){return we.test(e)?e:ke(e)??Oe(e)}function Pt(e){return e==="n"||e==="\
_"?`"${e}"`:x(e)}function et(e,t,n=!1){return t&&Tn.test(e)?e:ke(e)??(n?Oe(e):Y("s",e))}function Y(e,t){return`${e}${H(t)}\
:${t}`}function ke(e){if(Pn.test(e))return null;let t=Ln.find(n=>!e.includes(n));return t?t+e+t:null}function Oe(e){let t=2;
for(let[,s]of e.matchAll(Rn))t=Math.max(t,s.length);let n="`".repeat(t+1);return e.endsWith(`
`)?`${n}+
${e}${n}`:`${n}
${e}
${n}`}function W(e){if(typeof e=="bigint")return String(e);if(Object.is(e,-0))return"-0.0";let t=Math.abs(e);if(t!==0&&(t<
1e-4||t>=1e16))return e.toExponential().replace("+","");let n=String(e);return n.includes(".")?n:`${n}.0`}var S=class{constructor(t){this.integer=t.integer,this.minimum=t.minimum,this.maximum=t.maximum,this.exclusiveMinimum=t.
exclusiveMinimum,this.exclusiveMaximum=t.exclusiveMaximum,this.values=t.values,this.listed=t.values&&new Set(t.values.map(
F)),this.isOpen=Object.entries(t).every(([n,s])=>n==="integer"||s===void 0)}get noun(){return this.integer?"an integer":
"a number"}refuse(t){if(this.integer&&!ct(t))return["E203","an integer"];if(this.isOpen)return null;if(this.listed&&!this.
listed.has(F(t)))return["E204",Me(this.values.map(W))];let n=this.broken(t);return n?["E208",`${this.noun} of ${n}`]:null}broken(t){
return this.minimum!==void 0&&!(t>=this.minimum)?`at least ${this.minimum}`:this.maximum!==void 0&&!(t<=this.maximum)?`a\
t most ${this.maximum}`:this.exclusiveMinimum!==void 0&&!(t>this.exclusiveMinimum)?`more than ${this.exclusiveMinimum}`:
this.exclusiveMaximum!==void 0&&!(t<this.exclusiveMaximum)?`less than ${this.exclusiveMaximum}`:""}},j=class{constructor({
min:t=0,max:n,values:s}={}){this.min=t,this.max=n,this.values=s,this.listed=s&&new Set(s),this.isOpen=t===0&&n===void 0&&
s===void 0}get noun(){return this.values?Me(this.values.map(t=>JSON.stringify(t))):"a string"}refuse(t){if(this.isOpen)return null;
if(this.listed&&!this.listed.has(t))return["E204",this.noun];let n=Se(H(t),this.min,this.max);return n?["E208",`a string\
 of ${n} characters`]:null}},R=class{constructor(t,n=0,s=void 0){this.items=t,this.min=n,this.max=s}refuse(t){let n=Se(t.
length,this.min,this.max);return n?["E208",`an array of ${n} items`]:null}},O=class{constructor(t=[],n=null){this.extra=
n,this.needs=t.filter(s=>s.required),this.params=[...this.needs,...t.filter(s=>!s.required)],this.byName=new Map(this.params.
map(s=>[s.name,s])),this.isMap=t.length===0&&n!==null}typeOf(t){return this.byName.get(t)?.type??this.extra}inOrder(t){return[
...this.params.map(s=>s.name).filter(s=>I(t,s)),...C(Object.keys(t).filter(s=>!this.byName.has(s)))]}arrange(t){let n=this.
params.map(o=>I(t,o.name)?o:null);for(;n.length&&n.at(-1)===null;)n.pop();let s=n.indexOf(null),r=n.filter(o=>o===null).
length;s>=0&&r>n.length-s-r&&(n=n.slice(0,s));let i=new Set(n.map(o=>o?.name));return{row:n,keyed:this.inOrder(t).filter(
o=>!i.has(o))}}},$=class{constructor(t={}){this.null=t.null??!1,this.booleans=t.booleans??[],this.number=t.number??null,
this.string=t.string??null,this.array=t.array??null,this.object=t.object??null,this.isWordy=this.string!==null&&!this.null&&
this.booleans.length===0}get hasLabels(){return this.string?.values!==void 0}takesBare(t){return!(this.null&&t==="null"||
this.booleans.length>0&&(t==="true"||t==="false")||this.number!==null&&xe.test(t))}refuse(t){return typeof t=="string"?this.
string?this.string.refuse(t):this.wrongKind():y(t)?this.number?this.number.refuse(t):this.wrongKind():t===null?this.null?
null:this.wrongKind():typeof t=="boolean"?this.booleans.includes(t)?null:this.wrongKind():Array.isArray(t)?this.array?this.
array.refuse(t):this.wrongKind():this.object?null:this.wrongKind()}wrongKind(){return["E203",this.noun]}get noun(){return[
this.string?.noun,this.number?.noun,this.array&&"an array",this.object&&"an object",this.booleans.join(" or "),this.null&&
"null"].filter(Boolean).join(" or ")||"nothing"}};function qn(){let e=new $({null:!0,booleans:[!1,!0],number:new S({integer:!1}),
string:new j});return Object.assign(e,{array:new R(e),object:new O([],e)})}var h=qn(),ft=h.object,k=new $({...h}),Rt=new $,
Ae=8;function Me(e){if(e.length===1)return e[0];let t=e.length>Ae?`, \u2026 (${e.length} in all)`:"";return`one of ${e.slice(
0,Ae).join(", ")}${t}`}function Se(e,t,n){return e<t?`at least ${t}`:n!==void 0&&e>n?`at most ${n}`:""}function E(e,t){return e===t||e.null===t.null&&je(e.booleans,t.booleans)&&q(e.number,t.number)&&q(e.string,t.string)&&q(
e.array,t.array)&&q(e.object,t.object)}function q(e,t){if(e===t)return!0;if(e===null||t===null)return!1;if(e instanceof O&&
t instanceof O)return Un(e,t);let[n,s]=[e,t];return["integer","minimum","maximum","exclusiveMinimum","exclusiveMaximum",
"min","max"].every(r=>n[r]==s[r])&&je(e.values,t.values)&&(!(e instanceof R)||E(e.items,t.items))}function Un(e,t){if(e.
params.length!==t.params.length||e.extra===null!=(t.extra===null))return!1;let n=(s,r)=>s.name===r.name&&s.required===r.
required&&E(s.type,r.type);return e.params.every((s,r)=>n(s,t.params[r]))&&(e.extra===null||E(e.extra,t.extra))}function je(e,t){
return e===t||e!==void 0&&t!==void 0&&e.length===t.length&&e.every((n,s)=>n==t[s])}var nt=[];for(let e=2;nt.length<64;e+=1)nt.every(t=>e%t)&&nt.push(e);var Ee=e=>e%1*2**32|0,Hn=nt.slice(0,8).map(e=>Ee(Math.
sqrt(e))),Fn=nt.map(e=>Ee(Math.cbrt(e))),L=(e,t)=>e>>>t|e<<32-t;function Ne(e){let t=new TextEncoder().encode(e),n=new Uint8Array(
(t.length+8>>6)+1<<6);n.set(t),n[t.length]=128;let s=new DataView(n.buffer);s.setUint32(n.length-8,Math.floor(t.length/2**
29)),s.setUint32(n.length-4,t.length<<3);let r=[...Hn],i=new Int32Array(64);for(let o=0;o<n.length;o+=64)Wn(s,o,i,r);return r.
map(o=>(o>>>0).toString(16).padStart(8,"0")).join("")}function Wn(e,t,n,s){for(let p=0;p<64;p+=1)if(p<16)n[p]=e.getInt32(
t+4*p);else{let[w,_]=[n[p-15],n[p-2]],mn=L(w,7)^L(w,18)^w>>>3,dn=L(_,17)^L(_,19)^_>>>10;n[p]=n[p-16]+mn+n[p-7]+dn}let[r,
i,o,a,c,u,l,d]=s;for(let p=0;p<64;p+=1){let w=d+(L(c,6)^L(c,11)^L(c,25))+(c&u^~c&l)+Fn[p]+n[p]|0,_=(L(r,2)^L(r,13)^L(r,22))+
(r&i^r&o^i&o)|0;[d,l,u,c,a,o,i,r]=[l,u,c,a+w|0,o,i,r,w+_|0]}[r,i,o,a,c,u,l,d].forEach((p,w)=>s[w]=s[w]+p|0)}var Kn=new Set(["any","bool","false","int","never","null","num","str","true"]),ht="...",Xn="str|num|bool|[any]|{any}|nul\
l";function _t(e,t=!0){return Dt(e)+new st(t).members(e.args)}function Ct(e){let t=e.map(n=>_t(n,!1)).map(n=>[[...n].map(
s=>s.codePointAt(0)),n]);return t.sort(([n],[s])=>Gn(n,s)),Ne(t.map(([,n])=>n).join(`
`)).slice(0,8)}function Gn(e,t){let n=e.findIndex((s,r)=>s!==t[r]);return n<0?e.length-t.length:e[n]-(t[n]??-1)}function Dt(e){
return e.alias?`${x(e.alias)}=${x(e.name)}`:x(e.name)}function lt(e){return e===ht?`"${e}"`:x(e)}var st=class{constructor(t=!0){
this.defaults=t}members(t){return`(${this.parts(t).map(([n])=>n).join(" ")})`}parts(t){let n=t.params.map(s=>[this.param(
s),s]);return t.extra?[...n,[`${ht}:${this.type(t.extra)}`,null]]:n}param(t){let n=this.type(t.type),s=lt(t.name)+(t.required?
"":"?")+(n==="str"?"":`:${n}`);return this.defaults&&t.default!==void 0&&t.default!==null?`${s}=${Lt(t.default)}`:s}type(t){
if(E(t,h))return"any";let{string:n,number:s,booleans:r,array:i,object:o}=t,a=[];n&&a.push(...n.values?n.values.map(Jn):[
"str"]),s&&a.push(...s.values?s.values.map(W):[s.integer?"int":"num"]),r.length&&a.push(r.length>1?"bool":String(r[0])),
i&&a.push(`[${this.type(i.items)}]`),o&&a.push(o.isMap?`{${this.type(o.extra)}}`:this.object(o)),t.null&&a.push("null");
let c=a.join("|")||"never";return c===Xn?"any":c}object(t){return this.members(t)}};function Jn(e){return et(e,h.takesBare(
e)&&!Kn.has(e)&&!e.startsWith("@"))}function Lt(e){return typeof e=="string"?et(e,h.takesBare(e)):y(e)?W(e):Array.isArray(
e)?`[${e.map(Lt).join(" ")}]`:e instanceof Map?`{${[...e].map(([t,n])=>`${x(t)} ${Lt(n)}`).join(" ")}}`:String(e)}var Yn=20,zt="Tools: name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is\
 the default; a|b is a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:",Zn={wire:`${zt}\
 its name and the values in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects a\
s (a b), maps as {key value}; _ for what you leave out, or name=value.`,keyed:`${zt} its name, then name=value for each,\
 with spaces between; "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,punctuated:`${zt}\
 name(parameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`};function Te(e,{
descriptions:t=!0,primer:n}={}){let s=new Bt(t),r=[...s.define(e.map(o=>o.args)),...e.map(o=>s.tool(o))],i=n&&Zn[n];return[
...i?[i]:[],...r].join(`
`)}var Bt=class e extends st{constructor(t){super(),this.descriptions=t,this.names=new Map}tool(t){let n=Dt(t);if(!this.
descriptions)return n+this.members(t.args);let s=[Ie(n,t.description)];for(let[r,i]of this.parts(t.args))s.push(` ${Ie(r,
i?.description??"")}`),i&&s.push(...this.inside(i.type,lt(i.name)));return s.join(`
`)}define(t){let n=t.flatMap(o=>[...Pe(o,"")]).map(([o,a])=>({name:o,node:a,text:this.text(a)})),s=new Map;for(let{text:o}of n)
s.set(o,(s.get(o)??0)+1);let r=new Set,i=[];for(let{name:o,node:a,text:c}of n){if(s.get(c)<2||[...c].length<Yn||this.names.
has(c))continue;let u=this.members(a),l=$e(o)?o:"object",d=l;for(let p=2;r.has(d);p+=1)d=`${l}${p}`;r.add(d),this.names.
set(c,`@${d}`),i.push([`@${d}=${u}`,...this.descriptions?this.about(a,""):[]].join(`
`))}return i}object(t){return this.names.size&&this.names.get(this.text(t))||super.object(t)}text(t){let n=new e(!0);return[
n.members(t),...this.descriptions?n.about(t,""):[]].join(`
`)}inside(t,n){if(t===h)return[];let s=t.array?this.inside(t.array.items,n):[],{object:r}=t;return r&&!(this.names.size&&
this.names.has(this.text(r)))&&s.push(...this.about(r,`${n}.`)),s}about(t,n){let s=t.params.flatMap(r=>{let i=n+lt(r.name),
o=Re(r.description);return[...o?[`  ${i} ${o}`]:[],...this.inside(r.type,i)]});return t.extra?[...s,...this.inside(t.extra,
n+ht)]:s}};function*Pe(e,t){for(let n of e.params)yield*qt(n.type,n.name);e.extra&&(yield*qt(e.extra,t))}function*qt(e,t){
e!==h&&(e.array&&(yield*qt(e.array.items,t)),e.object&&(yield*Pe(e.object,t),e.object.params.length&&(yield[t,e.object])))}
function Ie(e,t){let n=Re(t);return n?`${e} ${n}`:e}function Re(e){return e.replace(/[\0\ud800-\udfff]/gu,"\uFFFD").split(
/\s+/).filter(Boolean).join(" ")}var Le=1e6;function D(e){if(e.some(r=>E(r,h)))return{type:h,isExact:!0};let t=!0,n=(r,i)=>{let o=r.filter(u=>u!==null);if(o.
every(u=>q(u,o[0])))return o[0]??null;let[a,c]=i(o);return t&&=c||o.some(u=>q(u,a)),a};return{type:new $({null:e.some(r=>r.
null),booleans:[!1,!0].filter(r=>e.some(i=>i.booleans.includes(r))),number:n(e.map(r=>r.number),Vn),string:n(e.map(r=>r.
string),Qn),array:n(e.map(r=>r.array),vn),object:n(e.map(r=>r.object),ts)}),isExact:t}}function Vn(e){let t=e.every(i=>i.
integer);if(e.every(i=>i.values)){let i=new Map(e.flatMap(o=>o.values).reverse().map(o=>[F(o),o]));return[new S({integer:t,
values:[...i.values()].reverse()}),!0]}if(e.some(i=>i.values))return[new S({integer:t}),!1];let n=i=>{let o=e.map(a=>a[i]);
return o.includes(void 0)?void 0:o.reduce(/min/i.test(i)?_e:Ce)},s={minimum:n("minimum"),maximum:n("maximum")},r={exclusiveMinimum:n(
"exclusiveMinimum"),exclusiveMaximum:n("exclusiveMaximum")};return[new S({integer:t,...s,...r}),!1]}var _e=(e,t)=>t<e?t:
e,Ce=(e,t)=>t>e?t:e;function Qn(e){return e.every(t=>t.values)?[new j({values:[...new Set(e.flatMap(t=>t.values))]}),!0]:
e.some(t=>t.values)?[new j,!1]:[new j({min:Math.min(...e.map(t=>t.min)),max:De(e)}),!1]}function vn(e){let t=D(e.map(n=>n.
items)).type;return[new R(t,Math.min(...e.map(n=>n.min)),De(e)),!1]}function De(e){let t=e.map(n=>n.max);return t.includes(
void 0)?void 0:Math.max(...t)}function ze(e){let t=e.map(n=>n.max).filter(n=>n!==void 0);return t.length?Math.min(...t):
void 0}function Be(e,t){let n=new Map;for(let s of e)for(let r of s.params)n.set(r.name,[...n.get(r.name)??[],r]);if(n.size*
t.length>Le)throw new f("E505",`objects combine to over ${Le} members`);return n}function ts(e){let t=e.filter(r=>r.extra!==
null&&r.extra!==k),n=[...Be(e,t)].map(([r,i])=>{let o=t.filter(c=>!c.byName.has(r)).map(c=>c.extra),a=D([...i.map(c=>c.type),
...o]).type;return{...i[0],type:a,required:i.length===e.length&&i.every(c=>c.required)}}),s=null;return t.length?s=D(t.map(
r=>r.extra)).type:e.some(r=>r.extra===k)&&(s=k),[new O(n,s),!1]}function qe(e,t){let n=e.map(i=>i.object).filter(i=>i?.extra===
k),s=i=>t.has(i)&&n.some(o=>!o.byName.has(i)),r=new Set(n.flatMap(i=>[...i.byName.keys()].filter(s)));return r.size?e.map(
i=>i.object?.extra!==k?i:new $({...i,object:new O(i.object.params.filter(o=>!r.has(o.name)),k)})):e}function Ue(e){let t=r=>e.
filter(r).length,n=e.flatMap(r=>r.booleans),s=r=>{let i=r.filter(a=>a!==null),o=i.flatMap(a=>a.values??[]);return i.length>
1&&(i.some(a=>!a.values)||new Set(o.map(String)).size<o.length)};return t(r=>r.null)>1||new Set(n).size<n.length||s(e.map(
r=>r.number))||s(e.map(r=>r.string))||t(r=>r.array)>1||t(r=>r.object)>1}function rt(e){let t=e.filter(s=>!E(s,h));if(t.length<
2)return t[0]??h;let n=(s,r)=>{let i=s.filter(o=>o!==null);return i.length<s.length?null:i.every(o=>q(o,i[0]))?i[0]:r(i)};
return new $({null:t.every(s=>s.null),booleans:[!1,!0].filter(s=>t.every(r=>r.booleans.includes(s))),number:n(t.map(s=>s.
number),es),string:n(t.map(s=>s.string),ns),array:n(t.map(s=>s.array),ss),object:n(t.map(s=>s.object),rs)})}function es(e){
let t=e.some(o=>o.integer),n=e.find(o=>o.values)?.values;if(n){let o=n.filter(a=>e.every(c=>c.refuse(a)===null));return o.
length?new S({integer:t,values:o}):null}let s=o=>{let a=e.map(c=>c[o]).filter(c=>c!==void 0);return a.length?a.reduce(/min/i.
test(o)?Ce:_e):void 0},r={minimum:s("minimum"),maximum:s("maximum")},i={exclusiveMinimum:s("exclusiveMinimum"),exclusiveMaximum:s(
"exclusiveMaximum")};return new S({integer:t,...r,...i})}function ns(e){let t=e.find(n=>n.values)?.values;if(t){let n=t.
filter(s=>e.every(r=>r.refuse(s)===null));return n.length?new j({values:n}):null}return new j({min:Math.max(...e.map(n=>n.
min)),max:ze(e)})}function ss(e){let t=rt(e.map(n=>n.items));return new R(t,Math.max(...e.map(n=>n.min)),ze(e))}function rs(e){
let t=e.filter(s=>s.extra!==k&&!(s.extra&&E(s.extra,h))),n=[];for(let[s,r]of Be(e,t)){let i=r.some(u=>u.required),o=t.filter(
u=>!u.byName.has(s)).map(u=>u.extra);if(o.includes(null)){if(i)return null;continue}let a=rt([...r.map(u=>u.type),...o]),
c=r.find(u=>u.description||u.default!==void 0)??r[0];n.push({...c,type:a,required:i})}return new O(n,is(e.map(s=>s.extra)))}
function is(e){if(e.includes(null))return null;let t=e.filter(s=>s!==k);return t.length<e.length&&t.every(s=>E(s,h))?k:rt(
t)}var A=class extends Error{};function dt(e){return Ut(e,"u")||Ut(e,"")}function Ut(e,t){try{return!!new RegExp(e,t)}catch{
return!1}}var os=`
\r\u2028\u2029`,He={n:`
`,r:"\r",t:"	",v:"\v",f:"\f",0:"\0"},Fe=e=>e!==void 0&&/^[A-Za-z0-9_]$/.test(e),Ht=class{constructor(t){this.pos=0,this.
chars=[...t]}pattern(){let t=this.choice();if(this.pos<this.chars.length)throw new A;return t}choice(){let t=[this.sequence()];
for(;this.skip("|");)t.push(this.sequence());return t.length>1?{kind:"any",parts:t}:t[0]}sequence(){let t=[];for(;this.pos<
this.chars.length&&!"|)".includes(this.chars[this.pos]);)t.push(this.repeated(this.atom()));return{kind:"all",parts:t}}repeated(t){
let[n,s]=[1,1];if(this.skip("*"))[n,s]=[0,1/0];else if(this.skip("+"))s=1/0;else if(this.skip("?"))n=0;else{let r=this.chars.
slice(this.pos,this.pos+40).join(""),i=/^\{([0-9]+)(,([0-9]*))?\}/.exec(r);if(!i)return t;this.pos+=i[0].length,n=Number(
i[1]),s=i[2]===void 0?n:i[3]?Number(i[3]):1/0}return this.skip("?"),{kind:"repeat",part:t,low:n,high:s}}atom(){let t=this.
chars[this.pos++];return t==="("?this.group():t==="["?{kind:"char",test:this.bracket()}:t==="\\"?this.escape():t==="."?{
kind:"char",test:n=>!os.includes(n)}:t==="^"?{kind:"at",holds:(n,s)=>s===0,isEnd:!0}:t==="$"?{kind:"at",holds:(n,s)=>s===
n.length,isEnd:!0}:{kind:"char",test:n=>n===t}}group(){let t,n=["?=","?!","?<=","?<!"].find(s=>this.sees(s));if(n)this.pos+=
n.length,t={kind:"look",part:this.choice(),isBehind:n.includes("<"),isWanted:n.endsWith("=")};else{if(this.sees("?<"))this.
pos=this.chars.indexOf(">",this.pos)+1;else if(this.sees("?:"))this.pos+=2;else if(this.sees("?"))throw new A;t=this.choice()}
if(!this.skip(")"))throw new A;return t}escape(){let t=this.chars[this.pos];if(t==="b"||t==="B"){this.pos+=1;let s=(r,i)=>Fe(
r[i-1])!==Fe(r[i]);return{kind:"at",holds:(r,i)=>s(r,i)===(t==="b"),isEnd:!1}}if(/[1-9k]/.test(t))throw new A;let n=this.
escaped();return{kind:"char",test:typeof n=="string"?s=>s===n:n}}escaped(){let t=this.chars[this.pos++];if(t===void 0)throw new A;
if("dDwWsS".includes(t))return We(`\\${t}`);if(t in He)return He[t];let n=this.chars.slice(this.pos,this.pos+80).join(""),
s=t==="u"?/^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(n):t==="x"?/^([0-9a-fA-F]{2})/.exec(n):null;if(s){this.pos+=
s[0].length;let i=parseInt(s[1]??s[2],16);if(i>1114111||i>=55296&&i<57344)throw new A;return String.fromCodePoint(i)}let r=t===
"c"?/^[A-Za-z]/.exec(n):null;if(r)return this.pos+=1,String.fromCharCode(r[0].charCodeAt(0)%32);if(t==="p"||t==="P")return this.
property(t,n);if(/[A-Za-z0-9]/.test(t))throw new A;return t}property(t,n){let s=/^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.
exec(n),r=`\\${t}{gc=${s?.[1]}}`;if(!s||!Ut(r,"u"))throw new A;return this.pos+=s[0].length,We(r)}bracket(){let t=this.skip(
"^"),n=[];for(;!this.skip("]");){let s=this.inBracket(),r=this.chars[this.pos+1];if(typeof s=="string"&&this.sees("-")&&
r!=="]"&&r!==void 0){this.pos+=1;let i=this.inBracket();if(typeof i!="string")throw new A;let[o,a]=[s.codePointAt(0),i.codePointAt(
0)];n.push(c=>o<=c.codePointAt(0)&&c.codePointAt(0)<=a)}else n.push(typeof s=="string"?i=>i===s:s)}return s=>n.some(r=>r(
s))!==t}inBracket(){let t=this.chars[this.pos++];if(t===void 0)throw new A;return t!=="\\"?t:this.skip("b")?"\b":this.escaped()}sees(t){
return[...t].every((n,s)=>this.chars[this.pos+s]===n)}skip(t){return this.chars[this.pos]!==t?!1:(this.pos+=1,!0)}};function We(e){
let t=new RegExp(`^${e}$`,"u");return n=>t.test(n)}function pt(e){if(e.kind==="all"||e.kind==="any")return e.parts.reduce(
(n,s)=>n+pt(s),e.kind==="any"?1:0);if(e.kind==="look")return 1+pt(e.part);if(e.kind!=="repeat")return 1;let t=pt(e.part);
return e.low*t+(t+1)*(e.high===1/0?1:e.high-e.low)}function mt(e){return e.kind==="char"?1:e.kind==="all"?e.parts.reduce(
(t,n)=>t+mt(n),0):e.kind==="any"?Math.min(...e.parts.map(mt)):e.kind==="repeat"?e.low*mt(e.part):0}var Z=class e{constructor(t,n){
this.size=n,this.states=[{nexts:[]}],this.looksAround=!1,this.known=new Map,this.moves=0,this.start=this.add(t,0)}static of(t){
if(/[\ud800-\udfff]/u.test(t))return null;try{let n=new Ht(t).pattern(),s=pt(n);return s<=2e4?new e(n,s):null}catch(n){if(n instanceof
A||n instanceof RangeError)return null;throw n}}add(t,n){switch(t.kind){case"char":return this.state({nexts:[n],test:t.test});case"\
at":return this.looksAround||=!t.isEnd,this.state({nexts:[n],holds:t.holds});case"all":return t.parts.reduceRight((s,r)=>this.
add(r,s),n);case"any":return this.state({nexts:t.parts.map(s=>this.add(s,n))});case"look":{this.looksAround=!0;let{isBehind:s,
isWanted:r}=t,i={start:this.add(t.part,0),back:s?mt(t.part):0,isBehind:s,isWanted:r};return this.state({nexts:[n],look:i})}case"\
repeat":return this.repeat(t.part,t.low,t.high,n)}}repeat(t,n,s,r){if(s===1/0){let i=this.state({nexts:[]});this.states[i].
nexts=[this.add(t,i),r],r=i}else{let i=r;for(let o=n;o<s;o+=1)r=this.state({nexts:[this.add(t,r),i]})}for(let i=0;i<n;i+=
1)r=this.add(t,r);return r}state(t){return this.states.push(t)-1}search(t,n){let s=[...t],r=new Ft(this.states,s,n);if(this.
looksAround)return r.reaches(this.start,0,null,!0);n(s.length);let i=s.length-1,o=this.ways(r.closure([this.start],0));for(let a=1;a<=
s.length&&!o.isMatch;a+=1){let c=s[a-1];a>=i?o=this.ways(r.closure(r.steps(o.states,c,this.start),a)):o=o.moves.get(c)??
this.move(o,c,r)}return o.isMatch}move(t,n,s){let r=s.closure(s.steps(t.states,n,this.start),null);this.moves+=1,this.moves>
2e4&&([this.moves,this.known]=[0,new Map]);let i=this.ways(r);return t.moves.set(n,i),i}ways(t){let n=t.sort((r,i)=>r-i).
join(),s=this.known.get(n)??{states:t,isMatch:t[0]===0,moves:new Map};return this.known.set(n,s),s}},Ft=class{constructor(t,n,s){
this.states=t,this.chars=n,this.spend=s,this.seen=new Map}reaches(t,n,s,r){let i=s??this.chars.length,o=this.closure([t],
n);for(;!(o.includes(0)&&(s===null||s===n));){if(n===i||!(o.length||r))return!1;let a=this.steps(o,this.chars[n],r?t:null);
n+=1,o=this.closure(a,n)}return!0}steps(t,n,s){this.spend(10*(t.length+1));let r=s===null?[]:[s];for(let i of t){let o=this.
states[i];o.test?.(n)&&r.push(...o.nexts)}return r}closure(t,n){let s=[],r=new Set(t),i=[...r];for(;i.length;){let o=i.pop(),
a=this.states[o];if(a.test||o===0)s.push(o);else if(this.holds(o,a,n))for(let c of a.nexts)r.has(c)||(i.push(c),r.add(c))}
return this.spend(10*r.size),s}holds(t,n,s){if(n.holds)return s!==null&&n.holds(this.chars,s);let{look:r}=n;if(!r||s===null)
return!0;let i=`${t} ${s}`,o=this.seen.get(i);if(o===void 0){let a=s-r.back,c=r.isBehind?a>=0&&this.reaches(r.start,a,s,
!1):this.reaches(r.start,s,null,!1);this.seen.set(i,o=c===r.isWanted)}return o}};var as=/^(\d{4})-(\d\d)-(\d\d)$/,Ke=/^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i,
Xe=e=>[...e].map(t=>`(?:\\d+(?:[.,]\\d+)?${t})?`).join(""),cs=new RegExp(`^[+-]?P(?:\\d+(?:[.,]\\d+)?W|(?=[\\dT])${Xe("Y\
MD")}(?:T(?=\\d)${Xe("HMS")})?)$`),us=/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i,fs=/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
hs=/^[a-z][a-z\d+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i,Wt=/^(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*$/i,
ls=/^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i,ps=/^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i,ms=/^(?:0|[1-9]\d{0,2})$/,
ds=/^[\da-f]{1,4}$/i;function Ge(e){let[,t,n,s]=as.exec(e)?.map(Number)??[];if(!t||!n||!s||n>12)return!1;let r=t%4===0&&
t%100!==0||t%400===0;return s<=[31,r?29:28,31,30,31,30,31,31,30,31,30,31][n-1]}function gs(e){let t=e.replace(/\.$/,"");
return t.length<=253&&t.split(".").every(n=>us.test(n))}function Je(e){let t=e.length>15?[]:e.split(".");return t.length===
4&&t.every(n=>ms.test(n)&&Number(n)<256)}function Ye(e){if(e.length>45)return!1;let t=e.split("::");if(t.length>2)return!1;
let n=t.flatMap(o=>o?o.split(":"):[]),r=(n.at(-1)??"").includes(".")&&!e.endsWith("::");if(r&&!Je(n.pop()))return!1;let i=n.
length+(r?2:0);return n.every(o=>ds.test(o))&&(t.length===2?i<8:i===8)}function ys(e){let[t,n="",...s]=hs.exec(e)??[];return t!==
void 0&&s.every(r=>Wt.test(r??""))&&bs(n)}function bs(e){let t=ls.exec(e);if(!t)return!1;let[,n="",s,r=""]=t;return s!==
void 0&&!ps.test(s)&&!Ye(s)?!1:Wt.test(n)&&Wt.test(r)}var gt=new Map([["date",Ge],["date-time",e=>/^[Tt]$/.test(e[10]??"")&&
Ge(e.slice(0,10))&&Ke.test(e.slice(11))],["duration",e=>cs.test(e)],["email",e=>e.includes("@")],["hostname",gs],["ipv4",
Je],["ipv6",Ye],["regex",dt],["time",e=>Ke.test(e)],["uri",ys],["uuid",e=>fs.test(e)]]);var wt=["minimum","maximum","exclusiveMinimum","exclusiveMaximum"],T=e=>new Set(e.split(" ")),ws=T("const default exampl\
e type"),xs="null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint|number float Float \
double Double Number|string str String char date datetime|array list List tuple Tuple set Set Array ArrayList Queue Stac\
k|object dict Dict Object Map HashMap Hashtable|any Any",it=new Map([["","any"]]);for(let e of xs.split("|"))for(let t of e.
split(" "))it.set(t,e.split(" ")[0]);var $s=new Map([["array","items"],["object","additionalProperties"]]);function m(e){
return e instanceof Map}function xt(e,t){let n=new Map([...e].filter(([i,o])=>o!==null||ws.has(i))),s=e.get("type"),r=typeof s==
"string"&&!["any","object"].includes(it.get(s)??"any");typeof n.get("required")=="boolean"&&r&&n.delete("required");for(let[
i,o]of[["minimum","exclusiveMinimum"],["maximum","exclusiveMaximum"]]){let a=n.get(o);typeof a=="boolean"&&(n.delete(o),
!(!a||!n.has(i))&&(n.set(o,n.get(i)),n.delete(i)))}return n.has("type")?ks(n,t):n}function ks(e,t){let n=e.get("type"),s=typeof n==
"string"&&!it.has(n)?Os(n):null;s&&(e=new Map([...s,...e]),n=s.get("type")),ot("type",n,`${t}/type`);let r=[n].flat().map(
c=>it.get(c)),i=r.indexOf(void 0);if(i>=0)throw new f("E501",`no type has the name ${g([n].flat()[i])}`,{pointer:`${t}/t\
ype`});r.includes("any")?e.delete("type"):e.set("type",r);let o=e.get("enum"),a=e.get("items")??new Map;return r.join()===
"array"&&m(a)&&Array.isArray(o)&&!o.some(Array.isArray)&&(e.set("items",new Map([...a,["enum",o]])),e.delete("enum")),e}
function Os(e){let t=e.trim().replace(/optional$/,"").replace(/[, ]+$/,""),n=t.startsWith("Optional[")&&t.endsWith("]"),
s=n?t.slice(9,-1):t,r=s.indexOf("["),i=it.get(r<0?s:s.slice(0,r)),o=$s.get(i??"");if(i===void 0||r>=0&&!(o&&s.endsWith("\
]")))return null;let a=new Map([["type",i]]);if(r>=0){let c=s.slice(r+1,-1),u=c.indexOf(","),l=i==="array"?c:u<0?"":c.slice(
u+1);a.set(o,new Map([["type",l.trim()]]))}return n?a.set("nullable",!0):a}var As=T("$defs additionalItems additionalPro\
perties const contains default definitions dependencies dependentSchemas else example if items not patternProperties pro\
perties propertyNames then unevaluatedItems unevaluatedProperties");function Qe(e){let t=r=>m(r)&&typeof r.get("type")==
"string";if(e.size===0||![...e.values()].every(t)||[...e.keys()].some(r=>As.has(r)))return e;let s=[...e].filter(([,r])=>!r.
has("default")&&!r.get("type").endsWith("optional"));return new Map([["type","object"],["properties",e],["required",s.map(
([r])=>r)]])}var Xt=e=>typeof e=="string",Gt=e=>typeof e=="boolean",$t=e=>typeof e=="string"&&!B.test(e),yt=e=>typeof e==
"bigint"?ut(e):typeof e=="number"&&Number.isFinite(e),Ms=e=>y(e)&&yt(e)&&e>=0&&(typeof e=="bigint"||Number.isInteger(e)),
Kt=e=>Array.isArray(e)&&e.every($t),Ss=e=>Array.isArray(e)&&e.length>0,Ze=e=>Gt(e)||m(e),Ve=e=>Xt(e)&&dt(e),js=e=>m(e)&&
[...e.keys()].every($t),ve=new Map;for(let[e,t]of[["$ref format $dynamicRef $recursiveRef",Xt],["type",n=>Xt(n)||Kt(n)],
["required",Kt],["additionalItems",Ze],["items",n=>Ze(n)||Array.isArray(n)],["pattern",Ve],["patternProperties",n=>m(n)&&
[...n.keys()].every(Ve)],["prefixItems",Array.isArray],["dependencies dependentSchemas properties",js],["enum anyOf oneO\
f allOf",Ss],["minContains maxContains minItems maxItems minLength maxLength minProperties maxProperties",Ms],["nullable\
 uniqueItems",Gt],["multipleOf",n=>y(n)&&yt(n)&&n>0],["dependentRequired",n=>m(n)&&[...n.values()].every(Kt)],[wt.join("\
 "),yt]])for(let n of e.split(" "))ve.set(n,t);function ot(e,t,n){if(ve.get(e)?.(t)===!1)throw new f("E502",`${e} cannot\
 be ${g(t)}`,{pointer:n})}function Jt(e){return e===null||Gt(e)||$t(e)||yt(e)}function bt(e,t=0){return t>64?!1:m(e)?[...e].
every(([n,s])=>$t(n)&&bt(s,t+1)):Array.isArray(e)?e.every(n=>bt(n,t+1)):Jt(e)}var Es=T("additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluate\
dProperties"),Ns=T("allOf anyOf items oneOf prefixItems"),Is=T("$defs definitions dependencies dependentSchemas patternP\
roperties properties"),Yt="lton:///",V=class e{constructor(t,n){this.resource=t,this.known=n}static of(t){let n=new Zt(t);
return new e(n.root,n)}in(t){return new e(t,this.known)}inside(t){return t===this.resource.schema||!t.has(this.resource.
idKey)?this:this.in(this.known.resourceOf(t,this.resource))}lookup(t,n){let[s,r]=en(this.resource.address,t)??[],i=s===void 0?
void 0:this.known.resourceAt(s),o=i&&this.find(i,r);if(o)return o;throw new f("E504",`no schema here has the name ${JSON.
stringify(t.slice(0,80))}`,{pointer:n})}find(t,n){let s=Rs(n);if(s==="")return{target:t.schema,scope:this.in(t)};if(!s.startsWith(
"/")){let i=t.anchors.get(s);return i===void 0?null:{target:i,scope:this.in(t)}}let r=t.schema;for(let i of s.slice(1).split(
"/")){let o=i.replaceAll("~1","/").replaceAll("~0","~");if(Array.isArray(r)?r=/^[0-9]+$/.test(o)?r[Number(o)]:void 0:r=m(
r)?r.get(o):void 0,r===void 0)return null;t=this.known.resourceOf(r,t)}return{target:r,scope:this.in(t)}}},Zt=class{constructor(t){
this.byAddress=new Map,this.bySchema=new Map,this.root=tn(t,{address:"",isOld:!1,idKey:"$id"})}resourceOf(t,n){return this.
look(),this.bySchema.get(t)??n}resourceAt(t){return this.look(),this.byAddress.get(t)}look(){if(!this.byAddress.size){for(let t of Ts(
this.root))this.byAddress.set(t.address,t),this.bySchema.set(t.schema,t);this.byAddress.has("")||this.byAddress.set("",this.
root)}}};function Ts(e){let t=[e],n=[[e.schema,e]],s=new Set;for(;n.length;){let[r,i]=n.pop();if(!m(r)||s.has(r))continue;
s.add(r);let o=r.get(i.idKey);if(o!=null&&typeof o!="string"&&i.idKey==="$id")throw Vt();typeof o=="string"&&r!==e.schema&&
!(i.isOld&&r.has("$ref"))&&(o.startsWith("#")?i.anchors.set(o.slice(1),r):t.push(i=tn(r,i)));for(let a of["$anchor","$dy\
namicAnchor"]){let c=r.get(a);typeof c=="string"&&(i.anchors.set(c,r),a==="$dynamicAnchor"&&i.dynamic.set(c,r))}for(let a of Ps(
r))n.push([a,i])}return t}function tn(e,t){let{isOld:n,idKey:s}=t,r=m(e)?e.get("$schema"):void 0;typeof r=="string"&&(n=
r.includes("draft-0"),s=/draft-0[34]/.test(r)?"id":"$id");let i=m(e)?e.get(s):void 0,o=typeof i=="string"?en(t.address,i)?.[0]:
"";if(o===void 0)throw Vt();return{address:o,schema:e,isOld:n,idKey:s,anchors:new Map,dynamic:new Map}}function*Ps(e){for(let[
t,n]of e)if(Is.has(t)&&n!==null){if(!m(n))throw Vt();yield*n.values()}else Ns.has(t)&&Array.isArray(n)?yield*n:Es.has(t)&&
(yield n)}function Vt(){return new f("E502","expected a schema, found something else in a part of it")}function en(e,t){
let[,n,s=""]=/^([^#]*)#?([^]*)$/.exec(t);if(n==="")return[e,s];try{let r=new URL(n,e.includes(":")?e:Yt+e).href;return[r.
startsWith(Yt)?r.slice(Yt.length):r,s]}catch{return null}}function Rs(e){try{return decodeURIComponent(e)}catch{return e}}var Ls=["enum","const","anyOf","oneOf","allOf"],_s=["properties","additionalProperties","patternProperties","$ref",...Ls],
Cs=[...T("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties requ\
ired unevaluatedProperties"),...wt],Ds=T("$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSch\
emas else if maxContains maxProperties minContains minProperties multipleOf not pattern patternProperties prefixItems pr\
opertyNames then unevaluatedItems unevaluatedProperties uniqueItems"),zs=[["properties","object"],["additionalProperties",
"object"],["patternProperties","object"],["items","array"],["prefixItems","array"]],Bs=10;function sn(e,t,n){!n&&m(e)&&(e=
qs(e));let s=new Qt(e,t,n),{object:r}=s.position(e,t,s.scope,0);if(!r)throw new f("E502","expected the schema of an obje\
ct",{pointer:t});return{args:r,isChecked:s.isChecked,unmatched:s.unmatched}}function qs(e){return _s.some(n=>(e.get(n)??
null)!==null)?e:new Map([...e,["properties",new Map]])}var Qt=class{constructor(t,n,s){this.root=n,this.standard=s,this.
isChecked=!1,this.unmatched=[],this.positions=0,this.steps=0,this.done=new Map,this.open=new Map,this.mentioned=new Map,
this.declared=new Set,this.scope=V.of(m(t)?t:new Map),this.open.set(t,1)}count(t){if(this.positions+=t,this.positions>1e5)
throw new f("E505",`a schema of more than ${1e5} positions`,{pointer:this.root})}mention(t,n){this.mentioned.set(t,[...this.
mentioned.get(t)??[],...n])}apart(t){let{mentioned:n,declared:s}=this;this.mentioned=new Map,this.declared=new Set;let r={
type:t(),mentioned:this.mentioned};return this.mentioned=n,this.declared=s,r}position(t,n,s,r){this.steps+=1;let{type:i,
mentioned:o}=this.apart(()=>this.schema(t,n,s,r));this.steps-=1;let{object:a}=i;if(a?.extra!==k)return i;let u=[...o.keys()].
filter(l=>!a.byName.has(l)).map(l=>({name:l,type:D(o.get(l)).type,required:!1,description:""}));return new $({...i,object:new O(
[...a.params,...u])})}schema(t,n,s,r){if(r>64)throw new f("E301",`nested deeper than ${64}`,{pointer:n});if(this.count(1),
typeof t=="boolean")return t?h:Rt;if(!m(t))throw new f("E502",`expected a schema, found ${g(t)}`,{pointer:n});let i=new vt(
this,xt(t,n),n,s.inside(t),r);i.look();try{let o=i.compile();return E(o,h)?h:o}catch(o){throw!(o instanceof f)||o.pointer!==
void 0?o:new f(o.code,o.problem,{pointer:n})}}},vt=class{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.place=s,
this.scope=r,this.depth=i}at(...t){return this.place+v(t)}inner(t,...n){return this.run.position(t,this.at(...n),this.scope,
this.depth+1)}beside(t,...n){return this.run.schema(t,this.at(...n),this.scope,this.depth+1)}all(t){return(this.keywords.
get(t)??[]).map((n,s)=>this.beside(n,t,s))}members(t){return this.keywords.get(t)??new Map}look(){for(let[t,n]of this.keywords)
ot(t,n,this.at(t)),t==="pattern"?this.match([n],t):t==="patternProperties"?this.match([...n.keys()],t):t==="format"?this.
run.isChecked||=!this.run.standard&&gt.has(n):Ds.has(t)&&!(t==="uniqueItems"&&n===!1)&&(this.run.isChecked=!0)}match(t,n){
let s=t.map(r=>Z.of(r));this.run.count(Math.floor(s.reduce((r,i)=>r+(i?.size??0),0)/Bs)),s.includes(null)?this.run.unmatched.
push(this.at(n)):this.run.isChecked=!0}compile(){let{keywords:t,run:n}=this,s=[];if(t.has("$ref")&&(s.push(this.referenced(
t.get("$ref"))),this.scope.resource.isOld))return s[0];let r=this.kinds();r&&s.push(this.byKind(r));let i=n.declared;n.declared=
new Set([...i,...s.flatMap(a=>[...a.object?.byName.keys()??[]])]),t.has("enum")&&s.push(this.listed("enum",t.get("enum"))),
t.has("const")&&s.push(this.listed("const",[t.get("const")]));for(let a of["anyOf","oneOf"])t.has(a)&&s.push(this.union(
a));s.push(...this.all("allOf")),n.declared=i;let o=rt(s);return this.mention(),this.checkHidden(),t.get("nullable")?D([
o,new $({null:!0})]).type:o}referenced(t){let{run:n}=this,s=this.at("$ref"),{target:r,scope:i}=this.scope.lookup(t,s);if(n.
open.has(r)){if(n.open.get(r)===n.steps)throw new f("E504","the reference names itself",{pointer:s});return n.isChecked=
!0,h}let o=n.done.get(r);if(o)n.count(o.positions);else{t.startsWith("#/")&&(s=n.root+t.slice(1));let a=n.positions;n.open.
set(r,n.steps);let c=n.apart(()=>n.schema(r,s,i,this.depth+1));n.open.delete(r),o={...c,positions:n.positions-a},n.done.
set(r,o)}for(let[a,c]of o.mentioned)n.mention(a,c);return o.type}union(t){let n=this.all(t),s=qe(n,this.run.declared),r=D(
s);return(!r.isExact||s!==n||t==="oneOf"&&Ue(n))&&(this.run.isChecked=!0),r.type}mention(){let t=[];for(let n of["if","t\
hen","else"])this.keywords.has(n)&&t.push(this.beside(this.keywords.get(n),n));for(let n of["dependentSchemas","dependen\
cies"])for(let[s,r]of this.members(n))Array.isArray(r)||t.push(this.beside(r,n,s));for(let{object:n}of t)for(let s of n?.
params??[])this.run.mention(s.name,[s.type])}checkHidden(){this.keywords.has("not")&&this.beside(this.keywords.get("not"),
"not");for(let t of["contains","propertyNames","unevaluatedItems","unevaluatedProperties"])this.keywords.has(t)&&this.inner(
this.keywords.get(t),t)}listed(t,n){let s=n.filter(c=>typeof c=="object"&&c!==null);s.length&&(this.run.isChecked=!0);let r=n.
filter(c=>typeof c!="object"||c===null),i=r.find(c=>!Jt(c));if(i!==void 0)throw new f("E502",`a label cannot be ${g(i)}`,
{pointer:this.at(t)});let o=r.filter(y),a=r.filter(c=>typeof c=="string");return new $({null:r.includes(null),booleans:[
!1,!0].filter(c=>r.includes(c)),number:o.length?new S({integer:o.every(c=>typeof c=="bigint"),values:o}):null,string:a.length?
new j({values:[...new Set(a)]}):null,array:s.some(Array.isArray)?h.array:null,object:s.some(m)?h.object:null})}kinds(){let{
keywords:t}=this;if(t.has("type"))return t.get("type");if(!Cs.some(s=>t.has(s)))return null;let n=this.run.standard?void 0:
zs.find(([s])=>t.has(s));return n?[n[1]]:["null","boolean","number","string","array","object"]}byKind(t){let n=t.includes(
"number")||t.includes("integer");return new $({null:t.includes("null"),booleans:t.includes("boolean")?[!1,!0]:[],number:n?
this.number(!t.includes("number")):null,string:t.includes("string")?new j({min:this.size("minLength")??0,max:this.size("\
maxLength")}):null,array:t.includes("array")?this.array():null,object:t.includes("object")?this.object():null})}number(t){
let n=wt.map(s=>[s,this.keywords.get(s)]);return new S({integer:t,...Object.fromEntries(n)})}size(t){return this.keywords.
has(t)?Number(this.keywords.get(t)):void 0}array(){let t=this.keywords.get("items")??!0,n=Array.isArray(t);n&&(this.run.
isChecked=!0);let s=n?t:this.keywords.get("prefixItems")??[],r=n?this.keywords.get("additionalItems")??!0:t,i=s.map((a,c)=>this.
inner(a,n?"items":"prefixItems",c)),o=this.size("maxItems");return r===!1&&(o=Math.min(o??1/0,s.length)),(r!==!1||!s.length)&&
i.push(this.inner(r,n?"additionalItems":"items")),new R(D(i).type,this.size("minItems")??0,o)}object(){let t=new Set(this.
keywords.get("required")??[]),n=this.members("properties"),s=this.extra(),r=[...n].map(([a,c])=>this.param(a,c,t.has(a))),
i=s===k?h:s??Rt,o=[...t].filter(a=>!n.has(a));return new O([...r,...o.map(a=>({name:a,type:i,required:!0,description:""}))],
s)}extra(){let{keywords:t}=this,n=t.get("additionalProperties"),s=n===void 0?[]:[this.inner(n,"additionalProperties")],r=this.
members("patternProperties");for(let[o,a]of r)s.push(this.inner(a,"patternProperties",o));let i=(t.get("unevaluatedPrope\
rties")??!1)!==!1;return n===void 0&&(this.run.standard||i)?h:n===void 0&&!s.length?t.has("properties")?k:h:n===!1&&!r.size?
null:D(s).type}param(t,n,s){let r=this.inner(n,"properties",t),i=m(n)?n:new Map,o=i.get("$ref");if(typeof o=="string"&&o&&
!i.get("description")){let{target:u}=this.scope.inside(i).lookup(o,this.at("properties",t,"$ref"));m(u)&&(i=new Map([...u,
...i]))}let a=i.get("default"),c=i.get("description")??"";return{name:t,type:r,required:s,description:typeof c=="string"?
c:"",default:a!==void 0&&bt(a)?a:void 0}}};var te=1e7,Us=20,Hs=30,Fs=100,Ws=T("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf"),Mt=class extends Error{};
function fn(e,t){let n=V.of(e),s=new ee;return r=>{let i=new ne(r,s,!t);try{return i.judge(e,r,n,[],null)}catch(o){if(o instanceof
Mt)return{path:[],problem:`it takes more than ${te} steps to check the arguments`,code:"E506"};if(o instanceof f||o instanceof
RangeError)return b(`the arguments cannot be checked: ${o.message}`);throw o}}}var ee=class{constructor(){this.plans=new Map,
this.matchers=new Map,this.keys=new Map}plan(t,n){let s=this.plans.get(t);if(!s){let r=Ks(t,n),i=[...tr].filter(([a])=>r.
has(a)).map(([a,c])=>[c,r.get(a)]),o=r.has("unevaluatedItems")||r.has("unevaluatedProperties");s={keywords:r,judges:i,asksForMarks:o,
isKept:[...r.keys()].some(a=>Ws.has(a))},this.plans.set(t,s)}return s}matcher(t){let n=this.matchers.get(t);return n===void 0&&
this.matchers.set(t,n=Z.of(t)),n}},ne=class{constructor(t,n,s){this.value=t,this.known=n,this.formats=s,this.steps=0,this.
limit=te,this.judged=new Map,this.spend=r=>{if(this.steps+=r,!(this.steps<=this.limit)&&(this.limit=te+Us*X(this.value),
this.steps>this.limit))throw new Mt}}judge(t,n,s,r,i){if(!m(t))return t===!1?b("nothing is allowed here"):null;this.spend(
Fs),s=s.inside(t),r.at(-1)!==s.resource&&(r=[...r,s.resource]);let o=this.known.plan(t,s.resource.isOld),a=i===null&&o.isKept?
this.keptOf(t,n):null,c=a?.find(([p])=>p.length===r.length&&p.every((w,_)=>w===r[_]));if(c)return c[1];this.spend(20*o.judges.
length);let u=i??(o.asksForMarks?new Set:null),l=new se(this,o.keywords,s,r,u),d=null;for(let[[p,w],_]of o.judges)if(p(n)&&
(d=w(_,n,l)))break;return a?.push([r,d]),d}keptOf(t,n){let s=this.judged.get(t)??new Map,r=s.get(n)??[];return s.set(n,r),
this.judged.set(t,s),r}},se=class e{constructor(t,n,s,r,i){this.run=t,this.keywords=n,this.scope=s,this.around=r,this.marks=
i}judge(t,n,s=null){return this.run.judge(t,n,this.scope,this.around,s)}beside(t,n){let s=this.marks&&new Set,r=this.judge(
t,n,s);if(!r)for(let i of s??[])this.marks.add(i);return r}inner(t,n,s){this.marks?.add(s);let r=this.judge(t,n);return r&&
{...r,path:[s,...r.path]}}lookup(t){let{target:n,scope:s}=this.scope.lookup(t,"");return{target:n,there:this.at(s)}}at(t){
return new e(this.run,this.keywords,t,this.around,this.marks)}matches(t,n){return this.run.known.matcher(t)?.search(n,this.
run.spend)??null}};function b(e){return{path:[],problem:e,code:"E214"}}function X(e){let t=Hs;if(typeof e=="string")t+=e.
length;else if(Array.isArray(e))for(let n of e)t+=X(n);else if(typeof e=="object"&&e!==null){let n=e instanceof Map?e:Object.
entries(e);for(let[s,r]of n)t+=s.length+X(r)}return t}function G(e){return y(e)?String(F(e)):Array.isArray(e)?`[${e.map(
G).join()}]`:typeof e!="object"||e===null?JSON.stringify(e):`{${[...e instanceof Map?e:Object.entries(e)].map(([n,s])=>`${JSON.
stringify(n)}:${G(s)}`).sort().join()}}`}function Ks(e,t){let n=new Map(xt(e,""));if(t&&n.has("$ref"))return new Map([["\
$ref",n.get("$ref")]]);Array.isArray(n.get("items"))&&(n.set("prefixItems",n.get("items")),n.delete("items"),n.has("addi\
tionalItems")&&n.set("items",n.get("additionalItems")));for(let[r,i]of n.get("dependencies")??[]){let o=Array.isArray(i)?
"dependentRequired":"dependentSchemas";n.set(o,new Map([...n.get(o)??[],[r,i]]))}for(let[r,i]of n)ot(r,i,"");let s=n.get(
"nullable")===!0;return n.delete("nullable"),s?new Map([["anyOf",[n,new Map([["type",["null"]]])]]]):n}var P=()=>!0,at=e=>typeof e==
"string",U=e=>Array.isArray(e),Xs={null:e=>e===null,boolean:e=>typeof e=="boolean",integer:e=>y(e)&&ct(e),number:y,string:at,
array:U,object:M};function N(e,t){for(let n of e){let s=t(n);if(s)return s}return null}var kt=(e,t)=>(n,s)=>t(s,n)?null:
b(`${s} is not ${e} ${String(n)}`),Q=(e,t,n)=>(s,r)=>{let i=t(r);return n(i,s)?null:b(`a size of ${i}, not ${e} ${String(
s)}`)},Ot=(e,t)=>e>=t,At=(e,t)=>e<=t,rn=e=>Object.keys(e).length;function on(e){if(typeof e=="bigint")return[e,0];let[t="",
n]=e.toExponential().split("e"),s=t.indexOf(".");return[BigInt(t.replace(".","")),Number(n)-(s<0?0:t.length-s-1)]}function Gs(e,t){
let[[n,s],[r,i]]=[on(e),on(t)];return s>=i?n*10n**BigInt(s-i)%r===0n:n%(r*10n**BigInt(i-s))===0n}var an=(e,t)=>{let n=e.
find(s=>!I(t,s));return n===void 0?null:b(`${g(n)} is missing`)},cn=(e,t,n,s)=>e===!1?b(`${g(n)} is not allowed here`):s.
inner(e,t[n],n);function hn(e,t){let n=Math.max(...e.map(r=>r.path.length)),s=e.filter(r=>r.path.length===n);return s.length===
1?s[0]:b(`${g(t)} is allowed by no schema`)}function Js(e,t,n){let s=t.flatMap((o,a)=>n.judge(e,o)?[]:[a]);for(let o of s)
n.marks?.add(o);let r=n.keywords.get("minContains")??1,i=n.keywords.get("maxContains")??t.length;return r<=s.length&&s.length<=
i?null:b(`${s.length} items match \`contains\``)}function Ys(e,t,n){let{target:s,there:r}=n.lookup(e),i=e.slice(e.lastIndexOf(
"#")+1);if(r.scope.resource.dynamic.get(i)===s){let o=[...n.around,r.scope.resource].find(a=>a.dynamic.has(i));s=o.dynamic.
get(i),r=r.at(r.scope.in(o))}return r.beside(s,t)}function Zs(e,t,n){let{target:s,there:r}=n.lookup(e),i=o=>m(o)&&o.get(
"$recursiveAnchor")===!0;if(i(s))for(let o of[...n.around].reverse()){if(!i(o.schema))break;s=o.schema,r=r.at(r.scope.in(
o))}return r.beside(s,t)}function Vs(e,t,n){let s=[];for(let r of e){let i=n.beside(r,t);if(i)s.push(i);else if(n.marks===
null)return null}return s.length===e.length?hn(s,t):null}function Qs(e,t,n){let s=e.map(i=>n.beside(i,t)).filter(i=>i!==
null),r=e.length-s.length;return r>1?b(`${g(t)} is allowed by ${r} schemas, not by one`):r?null:hn(s,t)}function vs(e,t,n){
n.run.spend(X(t));let{keys:s}=n.run.known;return s.has(e)||s.set(e,new Set(e.map(G))),s.get(e).has(G(t))}var tr=new Map(
[["type",[P,(e,t)=>e.some(n=>Xs[n](t))?null:b(`${g(t)} is not of type ${String(e)}`)]],["enum",[P,(e,t,n)=>vs(e,t,n)?null:
b(`${g(t)} is not listed`)]],["const",[P,(e,t,n)=>(n.run.spend(X(t)+X(e)),G(t)===G(e)?null:b(`${g(t)} is not ${g(e)}`))]],
["minimum",[y,kt("at least",Ot)]],["maximum",[y,kt("at most",At)]],["exclusiveMinimum",[y,kt("more than",(e,t)=>e>t)]],[
"exclusiveMaximum",[y,kt("less than",(e,t)=>e<t)]],["multipleOf",[y,(e,t)=>Gs(t,e)?null:b(`${t} is not a multiple of ${String(
e)}`)]],["minLength",[at,Q("at least",H,Ot)]],["maxLength",[at,Q("at most",H,At)]],["minItems",[U,Q("at least",e=>e.length,
Ot)]],["maxItems",[U,Q("at most",e=>e.length,At)]],["minProperties",[M,Q("at least",rn,Ot)]],["maxProperties",[M,Q("at m\
ost",rn,At)]],["pattern",[at,(e,t,n)=>n.matches(e,t)===!1?b(`${g(t)} does not match ${g(e)}`):null]],["format",[at,(e,t,n)=>{
let s=n.run.formats?gt.get(e):void 0;return s&&n.run.spend(t.length),s?.(t)===!1?b(`${g(t)} is not a ${String(e)}`):null}]],
["required",[M,(e,t)=>an(e,t)]],["dependentRequired",[M,(e,t)=>N(e,([n,s])=>I(t,n)?an(s,t):null)]],["uniqueItems",[U,(e,t,n)=>(n.
run.spend(X(t)),e&&new Set(t.map(G)).size<t.length?b("an item is there twice"):null)]],["propertyNames",[M,(e,t,n)=>{let s=N(
Object.keys(t),r=>n.judge(e,r));return s&&{...s,path:[]}}]],["additionalProperties",[M,(e,t,n)=>{let s=n.keywords.get("p\
roperties"),r=[...n.keywords.get("patternProperties")?.keys()??[]],i=o=>!s?.has(o)&&r.every(a=>n.matches(a,o)===!1);return N(
Object.keys(t),o=>i(o)?cn(e,t,o,n):null)}]],["prefixItems",[U,(e,t,n)=>N(e.slice(0,t.length).entries(),([s,r])=>n.inner(
r,t[s],s))]],["items",[U,(e,t,n)=>{let s=(n.keywords.get("prefixItems")??[]).length;return N(t.slice(s).entries(),([r,i])=>n.
inner(e,i,s+r))}]],["contains",[U,Js]],["properties",[M,(e,t,n)=>N(Object.keys(t),s=>e.has(s)?n.inner(e.get(s),t[s],s):null)]],
["patternProperties",[M,(e,t,n)=>N(e,([s,r])=>N(Object.keys(t),i=>n.matches(s,i)?n.inner(r,t[i],i):null))]],["$ref",[P,(e,t,n)=>{
let{target:s,there:r}=n.lookup(e);return r.beside(s,t)}]],["$dynamicRef",[P,Ys]],["$recursiveRef",[P,Zs]],["allOf",[P,(e,t,n)=>N(
e,s=>n.beside(s,t))]],["anyOf",[P,Vs]],["oneOf",[P,Qs]],["if",[P,(e,t,n)=>n.beside(n.keywords.get(n.beside(e,t)?"else":"\
then")??!0,t)]],["dependentSchemas",[M,(e,t,n)=>N(e,([s,r])=>I(t,s)?n.beside(r,t):null)]],["not",[P,(e,t,n)=>n.judge(e,t)?
null:b(`${g(t)} is what \`not\` excludes`)]],["unevaluatedItems",[U,(e,t,n)=>N(t.entries(),([s,r])=>n.marks.has(s)?null:
n.inner(e,r,s))]],["unevaluatedProperties",[M,(e,t,n)=>N(Object.keys(t),s=>n.marks.has(s)?null:cn(e,t,s,n))]]]);var er=["parameters","input_schema","inputSchema"],nr=["properties","$ref","allOf","anyOf","oneOf"],St=class e{constructor(t,n=[]){
if(this.tools=t,this.unmatched=n,this.prints=new Map,this.byName=new Map(t.map(s=>[s.alias||s.name,s])),this.byName.size<
t.length||new Set(t.map(s=>s.name)).size<t.length)throw new f("E503","two tools have one name",{pointer:""})}static from(t,{
standard:n=!1}={}){let s=typeof t=="string"?ce(t):ue(t),r=m(s)?s.get("tools")??[s]:s;if(!Array.isArray(r))throw new f("E\
502",`expected tool definitions, found ${g(r)}`,{pointer:""});let i=[];return new e(r.map((o,a)=>sr(o,`/${a}`,n,i)),i)}get fingerprint(){
return Ct(this.tools)}fingerprintOf(t){let n=this.prints.get(t.name)??Ct([t]);return this.prints.set(t.name,n),n}prompt(t={}){
return Te(this.tools,t)}get signatures(){return this.tools.map(t=>_t(t))}};function sr(e,t,n,s){let r=m(e)?e.get("functi\
on"):void 0;if(m(r)&&([e,t]=[r,`${t}/function`]),!m(e))throw new f("E502","expected a tool definition",{pointer:t});let i=!e.
has("name")&&nr.some(d=>e.has(d)),o=e.get(i?"title":"name");if(typeof o!="string"||!o||B.test(o))throw new f("E502",`exp\
ected the name of a tool, found ${g(o)}`,{pointer:t});let a=er.find(d=>(e.get(d)??null)!==null),c=i?e:new Map([["type","\
object"]]);!i&&a&&([c,t]=[e.get(a),`${t}/${a}`]),m(c)&&(c=Qe(c));let u=sn(c,t,n);s.push(...u.unmatched);let l=e.get("des\
cription");return{name:o,alias:"",description:typeof l=="string"?l:"",args:u.args,check:u.isChecked?fn(c,n):null}}function ln(e,t=null,n={}){let{form:s="wire",sigil:r=!1}=n;if(!de.includes(s))throw new f("E401",`no form has the name ${String(
s)}`);let i=new re(t,s,n),o=null;return[e].flat().map(c=>{if(typeof c!="object"||c===null)throw new f("E401","expected a\
 call or an answer",{path:""});if(!("arguments"in c))return i.answer(c);let u=i.call(c,r?null:o);return o=c.name,(r&&s!==
"tagged"?Tt:"")+u}).join(`
`)}var re=class e{constructor(t,n,s){this.tools=t,this.form=n,this.options=s,this.isPunctuated=n==="punctuated",this.isExact=
s.integers==="bigint"}call(t,n){let{tools:s,form:r}=this;if(!s&&r!=="wire"&&r!=="tagged")throw new f("E212",`without too\
ls, the ${r} form cannot be written`,{path:""});let i=this.find(t.name),o=pn(t.arguments,i?.args??ft,0,[]),a=i?.check?.(
o);if(a)throw new f(a.code,a.problem,{path:v(a.path)});let c=x(i?.alias||t.name)+(this.options.fingerprint&&s&&i?`#${s.fingerprintOf(
i)}`:"");if(r==="tagged")return`${Tt}${c}
${this.groups(o,i?.args??null)}`;if(!i)return`${c}{${this.row(this.pairs(o,h))}}`;let u=this.members(o,i.args);if(this.isPunctuated)
return`${c}(${this.row(u)})`;let l=r==="wire"&&t.name===n?"&":c;return u.length?`${l} ${this.row(u)}`:l}answer(t){return(t.
error&&!t.name?be:`${t.error?ye:ge}${this.answerName(t.name)} `)+new e(null,"wire",this.options).value(oe(t.value,h,0,[]),
h)}answerName(t){return x(this.find(t)?.alias||t)}find(t){if(!this.tools){if(typeof t!="string"||!t||B.test(t))throw new f(
"E401","this cannot be a name",{path:""});return null}let n=this.tools.tools.find(s=>s.name===t);if(n)return n;throw new f(
"E201",`no tool ${JSON.stringify(t)}`,{path:""})}row(t){return this.isPunctuated?t.join(", "):tt(t)}members(t,n){let{row:s,
keyed:r}=this.form==="wire"?n.arrange(t):{row:[],keyed:n.inOrder(t)},i=s.map(o=>o?this.value(t[o.name],o.type):"_");for(let o of r)
i.push(`${x(o)}=${this.value(t[o],n.typeOf(o)??h)}`);return i}pairs(t,n){return C(Object.keys(t)).map(s=>`${x(s)} ${this.
value(t[s],n)}`)}value(t,n){if(typeof t=="string")return et(t,n.takesBare(t)&&(n.hasLabels||!this.isPunctuated),this.isPunctuated);
if(typeof t=="number")return this.number(t);if(typeof t!="object"||t===null)return String(t);if(Array.isArray(t)){let o=n.
array?.items??h,a=()=>this.row(t.map(c=>this.value(c,o)));return`[${this.table(t,o)??a()}]`}let s=n.object??ft;if(!s.isMap)
return`(${this.row(this.members(t,s))})`;let r=C(Object.keys(t));return`{${this.table(r.map(o=>t[o]),s.extra,r.map(x))??
this.row(this.pairs(t,s.extra))}}`}number(t){return!this.isExact&&Number.isSafeInteger(t)&&!Object.is(t,-0)?String(t):W(
t)}table(t,n,s=[]){if(this.isPunctuated||!n.object?.isMap||!t.length||!t.every(ie))return null;let r=t.map(l=>Object.keys(
l)),i=r.reduce((l,d)=>l+d.length,0),o=new Set(r.flat()).size;if(o+(o*t.length-i)>=i)return null;let a=this.columns(t,n.object.
extra),c=a.flatMap(l=>l.cells),u=t.map((l,d)=>{let p=c.map(w=>w[d]);for(;p.at(-1)==="_";)p.pop();return tt([...s.slice(d,
d+1),...p])});return`(${tt(a.map(l=>l.head))})${u.join(";")}`}columns(t,n){return C(new Set(t.flatMap(r=>Object.keys(r)))).
map(r=>{let i=t.map(a=>I(a,r)?a[r]:void 0);if(n.object?.isMap&&rr(i)){let a=this.columns(i,n.object.extra);return{order:2,
head:`${x(r)}(${tt(a.map(c=>c.head))})`,cells:a.flatMap(c=>c.cells)}}let o=i.map(a=>a===void 0?"_":this.value(a,n));return{
order:ir(o.filter((a,c)=>i[c]!==void 0)),head:x(r),cells:[o]}}).sort((r,i)=>r.order-i.order)}groups(t,n){let{row:s,keyed:r}=n?.
arrange(t)??{row:[],keyed:C(Object.keys(t))},i=s.map(a=>a?this.atom(t[a.name],a.type):"_"),o=i.length||!r.length?[`(${i.
join(" ")})`]:[];for(let a of r)o.push(`(${Pt(a)} ${this.atom(t[a],n?.typeOf(a)??h)})`);return o.join(`
`)}atom(t,n){if(t===null)return"n";if(typeof t=="string")return Y(n.hasLabels?"e":"s",t);if(typeof t=="boolean")return Y(
"b",String(t));if(typeof t=="bigint")return Y(t>=0n?"u":"i",String(t));if(typeof t=="number"){let r=this.number(t);return Y(
/[.e]/.test(r)?"f":t>=0?"u":"i",r)}if(Array.isArray(t))return`[${t.map(r=>this.atom(r,n.array?.items??h)).join(" ")}]`;let s=n.
object??ft;return`{${s.inOrder(t).map(r=>`${Pt(r)} ${this.atom(t[r],s.typeOf(r)??h)}`).join(" ")}}`}};function ie(e){return typeof e==
"object"&&e!==null&&!Array.isArray(e)}function rr(e){let[t]=e;if(!ie(t))return!1;let n=Object.keys(t);return n.length>1&&
e.every(s=>ie(s)&&Object.keys(s).length===n.length&&n.every(r=>I(s,r)))}function ir(e){return e.some(t=>"\"'`[({".includes(
t[0]))?2:e.every(t=>"-0123456789".includes(t[0]))?0:1}function z(e,t,n){return new f(e,t,{path:v(n)})}function oe(e,t,n,s){
or(e,s);let r=t.refuse(e);if(r)throw z(r[0],`expected ${r[1]}`,s);if(typeof e!="object"||e===null)return e;if(n>=64)throw z(
"E301",`nested deeper than ${64}`,s);return Array.isArray(e)?Array.from(e,(i,o)=>oe(i,t.array.items,n+1,[...s,o])):pn(e,
t.object,n+1,s)}function pn(e,t,n,s){if(typeof e!="object"||e===null||Array.isArray(e))throw z("E401","expected an objec\
t of arguments",s);let r=pe();for(let[i,o]of e instanceof Map?e:Object.entries(e)){if(typeof i!="string"||B.test(i))throw z(
"E401","this cannot be a name",s);if(o===void 0)continue;let a=t.typeOf(i);if(!a)throw z("E202",`no parameter ${JSON.stringify(
i)}`,s);r[i]=oe(o,a,n,[...s,i])}for(let{name:i}of t.needs)if(!I(r,i))throw z("E205",`${JSON.stringify(i)} is required`,s);
return r}function or(e,t){if(typeof e=="string"){if(B.test(e))throw z("E401","U+0000 or a lone surrogate in a text",t)}else if(typeof e==
"bigint"){if(!ut(e))throw z("E302",`an integer of more than ${4096} digits`,t)}else if(typeof e=="number"?!Number.isFinite(
e):!ar(e))throw z("E401",`${typeof e=="number"?String(e):`a ${typeof e} of this kind`} is no value of JSON`,t)}function ar(e){
if(e===null||typeof e=="boolean"||Array.isArray(e)||e instanceof Map)return!0;if(typeof e!="object")return!1;let t=Object.
getPrototypeOf(e);return t===null||Object.getPrototypeOf(t)===null}return $n(cr);})();
