import type { Operation } from '@platform-backend/contract';

/** Levels, lowest first; each may do what those before it may. */
export const LEVELS = ['VIEWER', 'EDITOR', 'ADMIN', 'OWNER'] as const;
export type Level = (typeof LEVELS)[number];

/** Every way to present oneself that the permission test tries. */
export type Credential =
  | { kind: 'nothing' }
  | { kind: 'token without organisation' }
  | { kind: 'token'; level: Level }
  | { kind: 'API key' | 'Api-key header'; creator: Level; scope: string };

export type Expected = 'allowed' | 401 | 403;

const SCOPE_LEVELS: Record<string, Level> = { read: 'VIEWER', write: 'EDITOR', admin: 'ADMIN' };

/** Operations of level VIEWER that change nothing although they are bound to POST. */
const READ_BY_POST = ['Search', 'SearchConventions', 'QueryDatasets', 'CreateEmbeddings'];

const reaches = (level: Level | undefined, needed: Level): boolean =>
  level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(needed);

/**
 * What the decisions D11 to D14 say about a credential and an operation. Written apart from the code
 * under test on purpose: only the contract's table is common to both.
 */
export const expectedAccess = (
  { access, http, method }: Pick<Operation, 'access' | 'http' | 'method'>,
  credential: Credential,
): Expected => {
  switch (credential.kind) {
    case 'nothing':
      return access.credentials.includes('ANONYMOUS') ? 'allowed' : 401;
    case 'token without organisation':
      return access.credentials.includes('TOKEN') && access.level === undefined ? 'allowed' : 403;
    case 'token':
      if (!access.credentials.includes('TOKEN')) return 403;
      return access.level === undefined || reaches(credential.level, access.level) ? 'allowed' : 403;
    case 'API key':
    case 'Api-key header': {
      const byHeader = credential.kind === 'Api-key header';
      // Where the header is not a credential it is no header of ours, and the request has none.
      if (byHeader && !access.credentials.includes('API_KEY_HEADER'))
        return access.credentials.includes('ANONYMOUS') ? 'allowed' : 401;
      if (!byHeader && !access.credentials.includes('API_KEY')) return 403;
      // What any user may call is no area's.
      if (access.level === undefined) return 'allowed';
      const [area, verb = ''] = credential.scope.split(':');
      const scoped = area === '*' || area === access.area ? SCOPE_LEVELS[verb] : undefined;
      const needed = access.level;
      const writes = http?.verb !== 'GET' && !READ_BY_POST.includes(method);
      const scopeNeeded = writes && needed === 'VIEWER' ? 'EDITOR' : needed;
      // A key is never an OWNER, and never more than its creator.
      return needed !== 'OWNER' && reaches(scoped, scopeNeeded) && reaches(credential.creator, needed)
        ? 'allowed'
        : 403;
    }
  }
};

export const nameOf = (credential: Credential): string => {
  if (credential.kind === 'token') return `a token of level ${credential.level}`;
  if ('scope' in credential) return `${credential.kind} with ${credential.scope} of ${credential.creator}`;
  return credential.kind;
};
