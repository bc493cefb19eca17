import { createHash } from 'node:crypto';
import { html, Html } from './html';
import { STYLE } from './style';

/** A report, before it is rendered. */
export interface Report {
  readonly title: string;
  /** Reason why no number says anything about a real model; absent if nothing is simulated. */
  readonly simulated?: string;
  /** Subject and date of the report. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly parts: readonly ReportPart[];
}

/** A part with its own heading and an entry in the table of contents. */
export interface ReportPart {
  readonly title: string;
  readonly blocks: readonly Html[];
  /** Nested parts, listed below this one. */
  readonly parts?: readonly ReportPart[];
}

/** Mark that identifies a page as a report of this program. */
export const MARK = '<meta name="generator" content="cupid report" />';

/**
 * Renders the report as one page that needs neither network nor scripts. Its policy allows this style sheet and nothing
 * else: even unescaped markup could not run or load anything.
 */
export function renderPage({ title, simulated, facts, parts }: Report): string {
  const label =
    simulated === undefined ? '' : html`<p class="warning"><strong>Simulated.</strong> ${simulated}</p>`;
  const name = simulated === undefined ? title : `[simulated] ${title}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'sha256-${hashStyle()}'; base-uri 'none'; form-action 'none'"
        />
        ${new Html(MARK)}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${name}</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          ${label} ${renderFacts(facts)}
        </header>
        <nav aria-label="Contents">
          <ol>
            ${parts.map((part, at) => renderEntry(part, `${at + 1}`))}
          </ol>
        </nav>
        <main>${parts.map((part, at) => renderPart(part, `${at + 1}`, 2))}</main>
      </body>
    </html> `;
  return page.markup;
}

/** Renders names and values, such as the subject of a report. */
export function renderFacts(facts: Report['facts']): Html {
  if (facts.length === 0) return html``;
  return html`<dl>
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function hashStyle(): string {
  return createHash('sha256').update(STYLE).digest('base64');
}

function renderEntry({ title, parts = [] }: ReportPart, number: string): Html {
  const subentries = parts.map((part, at) => renderEntry(part, `${number}.${at + 1}`));
  return html`<li>
    <a href="#part-${number}">${title}</a>${
      subentries.length === 0
        ? ''
        : html`<ol>
            ${subentries}
          </ol>`
    }
  </li> `;
}

function renderPart({ title, blocks, parts = [] }: ReportPart, number: string, level: 2 | 3): Html {
  const heading =
    level === 2
      ? html`<h2><span>${number}</span> ${title}</h2>`
      : html`<h3><span>${number}</span> ${title}</h3>`;
  return html`<section id="part-${number}">
    ${heading} ${blocks} ${parts.map((part, at) => renderPart(part, `${number}.${at + 1}`, 3))}
  </section> `;
}
