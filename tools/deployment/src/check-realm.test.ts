import { describe, expect, it } from '@jest/globals';
import { realmProblems } from './check-realm.ts';

const trust = { issuer: 'http://localhost:8081/realms/platform', audience: 'api' };

const mapper = (change: Record<string, string> = {}): { protocolMapper: string; config: Record<string, string> } => ({
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.custom.audience': 'api', 'access.token.claim': 'true', 'id.token.claim': 'false', ...change },
});

const problems = (clientId: string, ...protocolMappers: ReturnType<typeof mapper>[]) =>
  realmProblems({ realm: 'platform', clients: [{ clientId, protocolMappers }] }, trust);

describe('checking a realm', () => {
  it('has nothing to say when access tokens alone are meant for the API', () => {
    expect(problems('web', mapper())).toEqual([]);
  });

  it('reports another realm than the one that is trusted', () => {
    expect(realmProblems({ realm: 'other', clients: [] }, trust)).toEqual([
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
});
