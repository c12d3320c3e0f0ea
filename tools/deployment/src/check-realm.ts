/** The part of a Keycloak realm that the check looks at. */
export type Realm = {
  realm: string;
  bruteForceProtected?: boolean;
  clients: RealmClient[];
  users?: { username: string; realmRoles?: string[] }[];
};

type RealmClient = {
  clientId: string;
  publicClient?: boolean;
  standardFlowEnabled?: boolean;
  implicitFlowEnabled?: boolean;
  redirectUris?: string[];
  webOrigins?: string[];
  attributes?: Record<string, string>;
  protocolMappers?: { protocolMapper: string; config: Record<string, string> }[];
};

/** What the gateway is told: whom to trust, and as which client people sign in at `/docs`. */
export type Trust = { issuer: string; audience: string; docsClientId?: string | undefined };

/** The hosts of pages that are developed on this machine. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * What would keep a token of the realm from being taken, keep a page from getting one, or let something pass that is no
 * access token: an ID token is meant for its client, so the API must not be called like one.
 */
export const realmProblems = (
  { realm, clients, users = [], bruteForceProtected }: Realm,
  { issuer, audience, docsClientId }: Trust,
): string[] => [
  ...(issuer.endsWith(`/realms/${realm}`) ? [] : [`The gateway trusts ${issuer}, which is not the realm ${realm}.`]),
  ...(bruteForceProtected === true ? [] : ['Passwords may be guessed as often as one likes.']),
  ...(docsClientId === undefined || clients.some(({ clientId }) => clientId === docsClientId)
    ? []
    : [`There is no client ${docsClientId}, as which people sign in at /docs.`]),
  ...clients.flatMap((client) =>
    [...tokenProblems(client, audience), ...(client.publicClient === true ? pageProblems(client) : [])].map(
      (problem) => `The client ${client.clientId} ${problem}.`,
    ),
  ),
  // A user who is imported has the roles that stand there, and not those that others are given by default.
  ...users
    .filter(({ realmRoles = [] }) => !realmRoles.includes(`default-roles-${realm}`))
    .map(({ username }) => `The user ${username} lacks default-roles-${realm}, and is refused offline_access.`),
];

const tokenProblems = ({ clientId, protocolMappers = [] }: RealmClient, audience: string): string[] => {
  const naming = protocolMappers.filter(
    ({ protocolMapper, config }) =>
      protocolMapper === 'oidc-audience-mapper' &&
      [config['included.custom.audience'], config['included.client.audience']].includes(audience),
  );
  return [
    ...(clientId === audience ? ['is called like the audience of the API, which its ID tokens would then bear'] : []),
    ...(naming.some(({ config }) => config['access.token.claim'] === 'true')
      ? []
      : [`puts no audience ${audience} into access tokens`]),
    // Absent, it counts as true.
    ...(naming.some(({ config }) => config['id.token.claim'] !== 'false')
      ? [`puts the audience ${audience} into ID tokens`]
      : []),
  ];
};

/** Of a client without a secret, as pages are. */
const pageProblems = (client: RealmClient): string[] => {
  const { attributes = {}, redirectUris = [], webOrigins = [] } = client;
  const logoutUrl = attributes['backchannel.logout.url'] ?? '';
  const lacking = LOOPBACK.filter((host) => !redirectUris.includes(`http://${host}:*`));
  // Keycloak makes origins of redirect addresses by cutting off the path: of a port `*` it makes one that no page has.
  const fromRedirects = webOrigins.includes('+') ? redirectUris.filter((uri) => /:\*/.test(uri)) : [];
  const isOpenToPages = webOrigins.includes('*') || (webOrigins.length > 0 && fromRedirects.length === 0);
  return [
    ...(client.standardFlowEnabled === true ? [] : ['lets nobody sign in by the authorization code flow']),
    ...(client.implicitFlowEnabled === true ? ['gives tokens in addresses'] : []),
    ...(attributes['pkce.code.challenge.method'] === 'S256' ? [] : ['does not want PKCE by S256']),
    ...lacking.map((host) => `does not redirect to pages of ${host}`),
    ...(logoutUrl.endsWith('/openid/back-channel-logout') ? [] : ['tells the gateway of nobody who logs out']),
    ...(attributes['backchannel.logout.session.required'] === 'false' ? ['does not say which session has ended'] : []),
    ...(isOpenToPages ? [] : ['lets no page read the answer to its request for a token']),
  ];
};
