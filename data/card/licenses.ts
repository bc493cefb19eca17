import { formatCloseNames } from '../../schemas/text/close-names';
import { DataError } from '../store/data-error';

/** License of CUPID's seed sentences from PersonaHub, which also binds everything made from them. */
export const PERSONA_HUB_LICENSE = 'cc-by-nc-sa-4.0';

export const UNKNOWN_LICENSE = 'unknown';

/** Formats the sentence that names a data set's license; `withLicense` looks for it. */
export function formatLicenseSentence(license: string): string {
  if (license === UNKNOWN_LICENSE)
    return 'The license of this data set is unknown. Choose one before you publish it.';
  return license === OTHER_LICENSE
    ? 'This data set has its own license: see `license_name` and `license_link` at the top of this card.'
    : `This data set is licensed under \`${license}\`.`;
}

/** A license that only the card itself names. */
const OTHER_LICENSE = 'other';

/** Derives the license of data made from data with this license; unknown if its text is only in the other card. */
export function deriveLicense(source: string): string {
  return source !== OTHER_LICENSE && LICENSES.has(source) ? source : UNKNOWN_LICENSE;
}

/**
 * @param hasName whether the card gives the name of a license that the Hub does not know
 * @throws DataError that names what may have been meant, unless the Hub knows the license by this identifier
 */
export function checkLicense(license: string, hasName = false): void {
  if (license === OTHER_LICENSE && !hasName) {
    throw new DataError(
      `"${license}" does not identify a license. Add to README.md, between the two "---" lines: license: other, ` +
        'license_name with its name, and license_link with the address of its text, such as a LICENSE file beside the card.',
    );
  }
  if (LICENSES.has(license)) return;
  const meant = license.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const [family = ''] = meant.split(/[-\d]/);
  const similarIds = LICENSES.has(meant)
    ? [meant]
    : [...LICENSES].filter((id) => family !== '' && id.startsWith(family));
  throw new DataError(
    `"${license}" is not a license id of the Hugging Face Hub, which rejects cards with any other.${formatCloseNames(similarIds)} ` +
      `Use an id of the Hub, such as ${PERSONA_HUB_LICENSE}, cc-by-4.0 or odc-by; or write license: other, license_name and license_link into README.md.`,
  );
}

/** As the Hub's documentation lists them (repositories-licenses). */
const LICENSES: ReadonlySet<string> = new Set(
  `
  apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0 bigcode-openrail-m openrail++
  afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear c-uda
  cc cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0
  cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0
  cdla-sharing-1.0 cdla-permissive-1.0 cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2
  agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 lgpl-lr isc h-research intel-research lppl-1.3c ms-pl apple-ascl
  apple-amlr mpl-2.0 odc-by odbl openmdw-1.0 openmdw-1.1 osl-3.0 postgresql ofl-1.1 ncsa unlicense zlib pddl
  deepfloyd-if-license fair-noncommercial-research-license llama2 llama3 llama3.1 llama3.2 llama3.3 llama4 grok2-community
  gemma unknown other
`
    .trim()
    .split(/\s+/),
);
