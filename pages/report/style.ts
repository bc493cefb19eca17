/**
 * The style sheet of a report. Series have the colors of Okabe and Ito, adjusted for contrast with the page. Each
 * series also has its own shape or label. Printed pages are always light.
 */
export const STYLE = `
:root {
  --page: #fff; --text: #1a1a1a; --quiet: #595959; --rule: #c4c4c4; --panel: #f5f5f4; --link: #00558b; --warn: #fff3d6;
  --s1: #0072b2; --s2: #c4500a; --s3: #00825f; --s4: #a3487c; --s5: #8f6a00; --s6: #2b87bf; --s7: #1a1a1a; --s8: #7a7a7a;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #16181b; --text: #e8e6e3; --quiet: #b0aca6; --rule: #4a4d52; --panel: #1f2226; --link: #8fc7f2; --warn: #3d2f0b;
    --s1: #56b4e9; --s2: #ff8c4d; --s3: #2fcf9f; --s4: #e79ac5; --s5: #e6b422; --s6: #8fd0f5; --s7: #e8e6e3; --s8: #a5a5a5;
  }
}
html { background: var(--page); color: var(--text); font: 16px/1.5 Charter, "Bitstream Charter", Cambria, Georgia, serif; }
body { max-width: 84rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1, h2, h3, h4 { line-height: 1.25; font-weight: 600; text-wrap: balance; }
h1 { font-size: 1.9rem; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.4rem; margin: 2rem 0 .5rem; padding-top: .75rem; border-top: 2px solid var(--text); }
h3 { font-size: 1.12rem; margin: 2.25rem 0 .5rem; }
h4 { font-size: 1rem; margin: 0 0 .5rem; }
h2 span, h3 span { color: var(--quiet); font-weight: 400; margin-right: .35em; }
a { color: var(--link); }
p { margin: .5rem 0; max-width: 58rem; }
.quiet, .notes { color: var(--quiet); font-size: .92rem; }
.warning { background: var(--warn); border-left: 5px solid var(--s2); padding: .6rem .9rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .4rem 1.5rem; margin: 1rem 0; font-size: .95rem; }
dl div { border-top: 1px solid var(--rule); padding-top: .25rem; }
dt { color: var(--quiet); font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
nav ol { list-style: none; padding: 0; margin: 0; }
nav > ol { columns: 4 18rem; column-gap: 2rem; }
nav li { break-inside: avoid; }
nav { background: var(--panel); padding: .8rem 1.1rem; font-size: .95rem; }
nav ol ol { padding-left: 1.2rem; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font: .84rem/1.4 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-variant-numeric: tabular-nums; border-top: 1.5px solid var(--text); border-bottom: 1.5px solid var(--text); }
caption { text-align: left; font-size: .88rem; padding: .3rem 0; color: var(--text); }
caption span { display: block; color: var(--quiet); }
th, td { padding: .15rem .6rem; text-align: right; vertical-align: baseline; font-weight: 400; }
thead th { color: var(--quiet); white-space: nowrap; }
thead tr:last-child th, thead tr:last-child td { border-bottom: 1px solid var(--rule); }
thead th.group { text-align: center; border-bottom: 1px solid var(--rule); color: var(--text); }
tbody th, th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
tbody th { min-width: 11rem; }
tbody th.line { color: var(--quiet); font-style: italic; padding-top: .3rem; }
tbody th.indent-1 { padding-left: 1.5rem; }
tbody th.indent-2 { padding-left: 2.5rem; }
td { white-space: nowrap; }
td.text, th.text { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.beside { display: flex; flex-wrap: wrap; gap: .5rem 2rem; }
.beside > * { max-width: 100%; }
figure { margin: .5rem 0; break-inside: avoid; max-width: 100%; }
figure.half { width: 40.5rem; }
figure.third { width: 26.5rem; }
figcaption { font-size: .92rem; margin-bottom: .3rem; }
figcaption strong { font-weight: 600; }
svg.plot { display: block; max-width: 100%; height: auto; overflow: visible; font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
svg.plot text { white-space: pre; }
.legend { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; list-style: none; padding: 0; margin: .3rem 0; font: .82rem/1.4 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.legend svg.plot { display: inline-block; vertical-align: -.15em; margin-right: .35em; }
details { font-size: .9rem; margin: .3rem 0; }
summary { cursor: pointer; color: var(--quiet); }
article h3 { margin-top: 0; }
article { border: 1px solid var(--rule); padding: .9rem 1.1rem; margin: 1rem 0; break-inside: avoid-page; }
blockquote { max-width: 58rem; margin: .4rem 0 .8rem; padding-left: .9rem; border-left: 3px solid var(--rule); white-space: pre-wrap; overflow-wrap: anywhere; font-size: .95rem; }
@media screen and (max-width: 40rem) {
  figure { overflow-x: auto; }
  /* As small as their texts can be read. */
  figure > svg.plot { max-width: 36rem; }
  figcaption::after { content: " Wide charts scroll sideways."; color: var(--quiet); }
}
@media print {
  html { font-size: 10.5pt; }
  body { max-width: none; padding: 0; }
  nav, details:not(.printed) { display: none; }
  details.printed > summary { list-style: none; }
  details.printed { font-size: inherit; }
  details.printed::details-content { content-visibility: visible; }
  .scroll { overflow: visible; break-inside: avoid; }
  h2, h3, h2 + p, figcaption, caption { break-after: avoid; }
  tr { break-inside: avoid; }
  table { font-size: 7.5pt; }
  th, td { padding: .15rem .35rem; }
}
`;
