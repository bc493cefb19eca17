import { PARTS_STYLE } from '../parts/style';

/** The style sheet of a report, which is made to be read from top to bottom and to be printed. */
export const STYLE = `${PARTS_STYLE}
html { background: var(--background); color: var(--text); font: 16px/1.5 Charter, "Bitstream Charter", Cambria, Georgia, serif; }
body { max-width: 84rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1, h2, h3, h4 { line-height: 1.25; font-weight: 600; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; margin: 0 0 .75rem; }
h2 { font-size: 1.4rem; margin: 2rem 0 .5rem; padding-top: .75rem; border-top: 2px solid var(--text); }
h3 { font-size: 1.12rem; margin: 2.25rem 0 .5rem; }
h4 { font-size: 1rem; margin: 0 0 .5rem; }
h2 span, h3 span { color: var(--quiet); font-weight: 400; margin-right: .35em; }
p { margin: .5rem 0; max-width: 58rem; overflow-wrap: anywhere; }
p.warning { background: var(--warn-background); border-left: 5px solid var(--s2); padding: .6rem .9rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .4rem 1.5rem; margin: 1rem 0; font-size: .95rem; }
dl div { border-top: 1px solid var(--line); padding-top: .25rem; }
dt { color: var(--quiet); font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
nav ol { list-style: none; padding: 0; margin: 0; }
nav > ol { columns: 4 18rem; column-gap: 2rem; }
nav li { break-inside: avoid; }
nav { background: var(--plain-background); padding: .8rem 1.1rem; font-size: .95rem; }
nav ol ol { padding-left: 1.2rem; }
tbody th { min-width: 11rem; }
details { font-size: .9rem; margin: .3rem 0; }
summary { cursor: pointer; color: var(--quiet); }
article { border: 1px solid var(--line); padding: .9rem 1.1rem; margin: 1rem 0; break-inside: avoid-page; }
blockquote { max-width: 58rem; margin: .4rem 0 .8rem; padding-left: .9rem; border-left: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; font-size: .95rem; }
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
