import type { Call } from './hub-http';

/** Owner of a token, with its permissions. */
export interface HubUser {
  readonly name: string;
  readonly orgs?: readonly string[];
  /** The permissions of a fine-grained token are listed, and it sees only a part of its account. */
  readonly role: 'read' | 'write' | 'fineGrained';
  /** Data sets that a fine-grained token may write to. */
  readonly writes?: readonly string[];
}

/** Returns whether the token may write at all or, given a name, to that data set. */
export function mayWrite({ role, writes = [] }: HubUser, name?: string): boolean {
  return role === 'write' || (role === 'fineGrained' && (name === undefined || writes.includes(name)));
}

/** Finds the token of a request, in any client's form. */
export function findToken(call: Pick<Call, 'headers'>): string | undefined {
  return call.headers.authorization?.replace(/^Bearer /i, '');
}

/** Returns whether the account is the namespace or belongs to it, regardless of its token. */
export function isMember(user: HubUser | undefined, namespace: string): boolean {
  return user !== undefined && (user.name === namespace || (user.orgs ?? []).includes(namespace));
}

/** Builds the answer to `whoami-v2`. */
export function buildAccount(user: HubUser): object {
  if (user.role === 'fineGrained') {
    const scoped = (user.writes ?? []).map((name) => ({
      entity: { _id: idOf(name), type: 'dataset', name },
      permissions: ['repo.content.read', 'repo.write'],
    }));
    const accessToken = {
      displayName: 'of the tests',
      role: 'fineGrained',
      fineGrained: { global: [], scoped },
    };
    return {
      type: 'user',
      id: idOf(user.name),
      name: user.name,
      auth: { type: 'access_token', accessToken },
    };
  }
  const account = { isEnterprise: false, canPay: false, periodEnd: null };
  return {
    type: 'user',
    id: idOf(user.name),
    name: user.name,
    fullname: user.name,
    email: `${user.name}@example.org`,
    emailVerified: true,
    isPro: false,
    billingMode: 'postpaid',
    avatarUrl: `/avatars/${user.name}.svg`,
    ...account,
    orgs: (user.orgs ?? []).map((name) => ({
      type: 'org',
      id: idOf(name),
      name,
      fullname: name,
      email: null,
      avatarUrl: `/avatars/${name}.svg`,
      roleInOrg: 'write',
      ...account,
    })),
    auth: {
      type: 'access_token',
      accessToken: { displayName: 'of the tests', role: user.role, createdAt: '2026-01-01T00:00:00.000Z' },
    },
  };
}

/** Returns an id of 24 hexadecimal digits, like the Hub's. */
function idOf(name: string): string {
  return Buffer.from(name).toString('hex').padEnd(24, '0').slice(0, 24);
}
