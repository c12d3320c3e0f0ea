import { describe, expect, it } from '@jest/globals';
import { realmProblems, type Realm, type Trust } from './check-realm.ts';

const trust = { issuer: 'http://localhost:8081/realms/platform', audience: 'api' };

const mapper = (change: Record<string, string> = {}): { protocolMapper: string; config: Record<string, string> } => ({
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.custom.audience': 'api', 'access.token.claim': 'true', 'id.token.claim': 'false', ...change },
});

type Client = Realm['clients'][number];

const web: Client = {
  clientId: 'web',
  publicClient: true,
  standardFlowEnabled: true,
  redirectUris: ['http://localhost:*', 'http://127.0.0.1:*', 'http://[::1]:*'],
  webOrigins: ['*'],
  attributes: {
    'pkce.code.challenge.method': 'S256',
    'backchannel.logout.url': 'http://gateway:8080/openid/back-channel-logout',
  },
  protocolMappers: [mapper()],
};

const inRealm = (change: Partial<Realm>, changedTrust: Partial<Trust> = {}) => {
  const users = [{ username: 'ada', realmRoles: ['default-roles-platform'] }];
  const realm = { realm: 'platform', bruteForceProtected: true, clients: [web], users };
  return realmProblems({ ...realm, ...change }, { ...trust, ...changedTrust });
};

const ofClient = (change: Partial<Client>) => inRealm({ clients: [{ ...web, ...change }] });

const problems = (clientId: string, ...protocolMappers: ReturnType<typeof mapper>[]) =>
  ofClient({ clientId, protocolMappers });

describe('checking a realm', () => {
  it('has nothing to say when access tokens alone are meant for the API, and pages get them', () => {
    expect(inRealm({})).toEqual([]);
    expect(inRealm({}, { docsClientId: 'web' })).toEqual([]);
  });

  it('reports another realm than the one that is trusted', () => {
    expect(inRealm({ realm: 'other', clients: [], users: [] })).toEqual([
      'The gateway trusts http://localhost:8081/realms/platform, which is not the realm other.',
    ]);
  });

  it('reports a client that is called like the API', () => {
    expect(problems('api', mapper())).toEqual([
      'The client api is called like the audience of the API, which its ID tokens would then bear.',
    ]);
  });

  it('reports access tokens that are meant for nobody or for somebody else', () => {
    const sentence = 'The client web puts no audience api into access tokens.';
    expect(problems('web')).toEqual([sentence]);
    expect(problems('web', mapper({ 'access.token.claim': 'false' }))).toEqual([sentence]);
    expect(problems('web', mapper({ 'included.custom.audience': 'else' }))).toEqual([sentence]);
  });

  it('reports ID tokens that are meant for the API as well', () => {
    const { 'id.token.claim': _, ...config } = mapper().config;
    const sentence = 'The client web puts the audience api into ID tokens.';
    expect(problems('web', mapper({ 'id.token.claim': 'true' }))).toEqual([sentence]);
    expect(problems('web', { ...mapper(), config })).toEqual([sentence]);
  });

  it.each<[string, Partial<Client>]>([
    ['lets nobody sign in by the authorization code flow', { standardFlowEnabled: false }],
    ['gives tokens in addresses', { implicitFlowEnabled: true }],
    ['does not want PKCE by S256', { attributes: { ...web.attributes, 'pkce.code.challenge.method': '' } }],
    ['tells the gateway of nobody who logs out', { attributes: { 'pkce.code.challenge.method': 'S256' } }],
    ['does not redirect to pages of [::1]', { redirectUris: ['http://localhost:*', 'http://127.0.0.1:*'] }],
    ['lets no page read the answer to its request for a token', { webOrigins: ['+'] }],
    ['lets no page read the answer to its request for a token', { webOrigins: [] }],
  ])('reports a client of pages that %s', (problem, change) => {
    expect(ofClient(change)).toEqual([`The client web ${problem}.`]);
    expect(ofClient({ ...change, publicClient: false })).toEqual([]);
  });

  it('reports people who are refused offline_access, passwords that may be guessed, and a client that is not there', () => {
    expect(inRealm({ users: [{ username: 'ada' }] })).toEqual([
      'The user ada lacks default-roles-platform, and is refused offline_access.',
    ]);
    expect(inRealm({ bruteForceProtected: false })).toEqual(['Passwords may be guessed as often as one likes.']);
    expect(inRealm({}, { docsClientId: 'docs' })).toEqual([
      'There is no client docs, as which people sign in at /docs.',
    ]);
  });
});
