import { DataError } from '../../data/sets/error';

/** @throws DataError when the Hub could have no data set of this name */
export function requireRepository(repo: string): void {
  const [owner = '', name = '', ...more] = repo.split('/');
  if (more.length === 0 && [owner, name].every(isName) && !name.endsWith('.git')) return;
  const address =
    /^https?:\/\/[^/]+\/(?:datasets\/)?([^/]+\/[^/]+)/.exec(repo) ?? /^datasets\/([^/]+\/[^/]+)$/.exec(repo);
  throw new DataError(
    `--repo ${repo} is not a valid name of a data set on the Hub. Write OWNER/NAME, for example ${address?.[1] ?? 'me/my-cupid'}: each part has letters, digits, ` +
      '"-", "_" and ".", no "-" or "." at either end or twice in a row, and at most 96 characters.',
  );
}

function isName(part: string): boolean {
  return /^(?![-.])[\w.-]{1,96}(?<![-.])$/.test(part) && !/--|\.\./.test(part);
}

/** @throws DataError when Git could have no branch of this name */
export function requireBranch(branch: string): void {
  const commit = /^[0-9a-f]{40}$/.test(branch);
  if (!commit && !BROKEN.test(branch) && branch.split('/').every((part) => PART.test(part))) return;
  throw new DataError(
    `--branch ${branch} is not a valid branch name${commit ? ': it is the id of a commit' : ''}. ` +
      'Use a name such as main or v2, without spaces, "..", "~", "^", ":", "?", "*", "[", "\\" and "@{", and without a part that begins or ends with ".".',
  );
}

// As git check-ref-format has it.
const BROKEN = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|^@$|^-/u;

const PART = /^(?!\.).+(?<!\.|\.lock)$/;
