import { createHash } from 'node:crypto';
import type { ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { escapeControls } from '../../schemas/text/control-characters';
import { Facts, Text, writeOutControls } from '../parts/text';
import { Warning } from './blocks';
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
  readonly blocks: readonly ComponentChild[];
  /** Nested parts, listed below this one. */
  readonly parts?: readonly ReportPart[];
}

const GENERATOR = 'cupid report';

/** Mark that identifies a page as a report of this program. */
export const MARK = `<meta name="generator" content="${GENERATOR}"`;

/**
 * Renders the report as one page that needs neither network nor scripts. Its policy allows this style sheet and nothing
 * else: even unescaped markup could not run or load anything.
 */
export function renderPage(report: Report): string {
  // Components write out control characters of texts; this covers attributes as well.
  return `<!doctype html>\n${escapeControls(renderToString(<Page report={report} />))}\n`;
}

function Page({ report: { title, simulated, facts, parts } }: { readonly report: Report }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content={`default-src 'none'; style-src 'sha256-${hashStyle()}'; base-uri 'none'; form-action 'none'`}
        />
        <meta name="generator" content={GENERATOR} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{writeOutControls(simulated === undefined ? title : `[simulated] ${title}`)}</title>
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <header>
          <h1>
            <Text text={title} />
          </h1>
          {simulated !== undefined && <Warning title="Simulated." text={simulated} />}
          <Facts facts={facts} />
        </header>
        <nav aria-label="Contents">
          <Entries parts={parts} prefix="" />
        </nav>
        <main>
          {parts.map((part, at) => (
            <Part part={part} number={`${at + 1}`} />
          ))}
        </main>
      </body>
    </html>
  );
}

function hashStyle(): string {
  return createHash('sha256').update(STYLE).digest('base64');
}

interface EntriesProps {
  readonly parts: readonly ReportPart[];
  /** Number of the part that has them, with a dot. */
  readonly prefix: string;
}

function Entries({ parts, prefix }: EntriesProps) {
  return (
    <ol>
      {parts.map(({ title, parts: subparts = [] }, at) => (
        <li>
          <a href={`#part-${prefix}${at + 1}`}>
            <Text text={title} />
          </a>
          {subparts.length > 0 && <Entries parts={subparts} prefix={`${prefix}${at + 1}.`} />}
        </li>
      ))}
    </ol>
  );
}

interface PartProps {
  readonly part: ReportPart;
  readonly number: string;
}

function Part({ part: { title, blocks, parts = [] }, number }: PartProps) {
  const Heading = number.includes('.') ? 'h3' : 'h2';
  return (
    <section id={`part-${number}`}>
      <Heading>
        <span>{number}</span> <Text text={title} />
      </Heading>
      {blocks}
      {parts.map((part, at) => (
        <Part part={part} number={`${number}.${at + 1}`} />
      ))}
    </section>
  );
}
