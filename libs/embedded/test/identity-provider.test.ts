import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { request } from 'node:http';
import { UserManager, type INavigator } from 'oidc-client-ts';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type Configuration,
} from 'openid-client';
import { developmentGrant, webClient } from '../src/identity-provider/development-grant.ts';
import { startIdentityProvider, type IdentityProvider } from '../src/identity-provider/identity-provider.ts';
import { freePort } from '../src/index.ts';

const audience = 'platform-api';
const commandSecret = 'a secret of the command';
const redirect = 'http://localhost:5173/signed-in';

let provider: IdentityProvider;
let client: Configuration;
beforeAll(async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  provider = await startIdentityProvider({ port: await freePort(), audience, signingKey, commandSecret });
  // oxlint-disable-next-line typescript/no-deprecated -- marked so that it stands out: the provider is on loopback, without TLS
  const options = { execute: [allowInsecureRequests] };
  client = await discovery(new URL(provider.issuer), webClient, undefined, None(), options);
});
afterAll(() => provider.stop());

/** A browser as far as signing in needs one: it keeps cookies and follows the provider's redirects. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async open(address: string | URL, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const next = location === null ? undefined : new URL(location, address);
    return next?.origin === provider.issuer ? await this.open(next) : response;
  }
}

/** What a page has of oidc-client-ts, with the address to which the page would send its browser. */
function page() {
  const asked = Promise.withResolvers<URL>();
  const redirects: INavigator = {
    prepare: () =>
      Promise.resolve({
        navigate: ({ url }) => {
          asked.resolve(new URL(url));
          return Promise.resolve({ url });
        },
        close: () => undefined,
      }),
    callback: () => Promise.resolve(),
  };
  const settings = { authority: provider.issuer, client_id: webClient, redirect_uri: redirect };
  const scope = 'openid email profile offline_access';
  const users = new UserManager({ ...settings, scope, automaticSilentRenew: false }, redirects);
  return { users, asked: asked.promise };
}

async function authorization(changes: Record<string, string> = {}) {
  const verifier = randomPKCECodeVerifier();
  const state = randomState();
  const address = buildAuthorizationUrl(client, {
    redirect_uri: redirect,
    scope: 'openid email profile offline_access',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...changes,
  });
  return { address, verifier, state };
}

/** Signs in, and gives back the address that the browser is sent to. */
async function signIn(browser: Browser, address: URL, who: Record<string, string>): Promise<URL> {
  const page = await browser.open(address);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Who are you?');
  const answer = await browser.open(page.url, who);
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

describe('the identity provider of development', () => {
  it('signs people in by the authorization code flow, with a token that the platform takes', async () => {
    const { address, verifier, state } = await authorization();
    const back = await signIn(new Browser(), address, { email: 'Ada.Lovelace@example.com', name: '' });
    expect(back.href).toMatch(/^http:\/\/localhost:5173\/signed-in\?code=/);

    const tokens = await authorizationCodeGrant(client, back, { pkceCodeVerifier: verifier, expectedState: state });
    const keys = createRemoteJWKSet(new URL(provider.jwksUrl));
    const expected = { issuer: provider.issuer, audience };
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, expected);
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    const person = { email: 'Ada.Lovelace@example.com', email_verified: true, name: 'Ada Lovelace' };
    expect(payload).toMatchObject(person);
    expect(tokens.claims()).toMatchObject({ ...person, sub: payload.sub, aud: webClient });

    const renewed = await refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect(decodeJwt(renewed.access_token)).toMatchObject({ ...person, sub: payload.sub, aud: audience });
  });

  it('signs people in for a page with oidc-client-ts, and renews their token', async () => {
    const { users, asked } = page();
    await users.signinRedirect();
    const back = await signIn(new Browser(), await asked, { email: 'ada@example.com', name: 'Ada Lovelace' });
    const user = await users.signinRedirectCallback(back.href);
    expect(user.profile).toMatchObject({ email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' });
    expect(decodeJwt(user.access_token)).toMatchObject({ sub: user.profile.sub, aud: audience });
    expect(await users.getUser()).toMatchObject({ access_token: user.access_token, expired: false });

    const renewed = await users.signinSilent();
    expect(decodeJwt(renewed?.access_token ?? '')).toMatchObject({ sub: user.profile.sub, aud: audience });
    expect(renewed?.access_token).not.toBe(user.access_token);
    await users.removeUser();
  });

  it('knows a person by the address, whether signed in or asked for by the command', async () => {
    const { address, verifier, state } = await authorization();
    const back = await signIn(new Browser(), address, { email: 'grace@example.com', name: 'Grace Hopper' });
    const tokens = await authorizationCodeGrant(client, back, { pkceCodeVerifier: verifier, expectedState: state });
    const answer = await fetch(provider.tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`platform-command:${encodeURIComponent(commandSecret)}`)}` },
      body: new URLSearchParams({ grant_type: developmentGrant, email: 'GRACE@example.com', org_id: 'org_1' }),
    });
    const { access_token: commanded } = (await answer.json()) as { access_token: string };
    expect(decodeJwt(commanded)).toMatchObject({ org_id: 'org_1', aud: audience, name: 'GRACE' });
    expect(decodeJwt(tokens.access_token).sub).toBe(decodeJwt(commanded).sub);
  });

  it('asks again for an address that is none, and shows no page of a sign-in that was not begun here', async () => {
    const { address } = await authorization();
    const browser = new Browser();
    const page = await browser.open(address);
    const again = await browser.open(page.url, { email: 'ada', name: 'Ada' });
    expect([again.status, await again.text()]).toEqual([422, expect.stringContaining('Give an e-mail address.')]);
    const stranger = await new Browser().open(page.url, { email: 'ada@example.com', name: '' });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([400, null]);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  });

  it.each([
    ['elsewhere', { redirect_uri: 'https://localhost.example.com/' }],
    ['over HTTPS', { redirect_uri: 'https://localhost/' }],
    ['with a name in front', { redirect_uri: 'http://127.0.0.1@example.com/' }],
  ])('sends nobody to an address %s', async (_, changes) => {
    const answer = await new Browser().open((await authorization(changes)).address);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  it.each(['http://127.0.0.1:3000/docs/oauth2-redirect.html', 'http://[::1]:4200/'])(
    'sends people to %s',
    async (to) => {
      const back = await signIn(new Browser(), (await authorization({ redirect_uri: to })).address, { email: 'a@b.c' });
      expect(back.origin + back.pathname).toBe(to);
    },
  );

  it('signs people in again whose code was redeemed twice, as pages under development do', async () => {
    const browser = new Browser();
    const first = await authorization();
    const back = await signIn(browser, first.address, { email: 'ada@example.com', name: '' });
    const redeem = async () =>
      authorizationCodeGrant(client, back, { pkceCodeVerifier: first.verifier, expectedState: first.state });
    await redeem();
    await expect(redeem()).rejects.toThrow();

    const { address, verifier, state } = await authorization();
    const next = await signIn(browser, address, { email: 'ada@example.com', name: '' });
    const tokens = await authorizationCodeGrant(client, next, { pkceCodeVerifier: verifier, expectedState: state });
    expect(tokens.claims()).toMatchObject({ email: 'ada@example.com' });
  });

  it('wants PKCE by S256, and the verifier that belongs to it', async () => {
    const { address, state } = await authorization();
    const plain = await new Browser().open((await authorization({ code_challenge_method: 'plain' })).address);
    expect(plain.headers.get('location')).toContain('error=invalid_request');
    address.searchParams.delete('code_challenge');
    address.searchParams.delete('code_challenge_method');
    const without = await new Browser().open(address);
    expect(without.headers.get('location')).toContain('error=invalid_request');

    const begun = await authorization({ state });
    const back = await signIn(new Browser(), begun.address, { email: 'ada@example.com' });
    const checks = { pkceCodeVerifier: randomPKCECodeVerifier(), expectedState: state };
    await expect(authorizationCodeGrant(client, back, checks)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('lets pages of loopback read the token, and no others', async () => {
    const ask = async (origin: string) => {
      const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: webClient, code: 'x' });
      const answer = await fetch(provider.tokenEndpoint, { method: 'POST', headers: { origin }, body });
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await ask('http://localhost:5173')).toBe('http://localhost:5173');
    expect(await ask('https://example.com')).toBeNull();
  });

  it('answers nobody who calls it by another name: that name may have been pointed here', async () => {
    const { port } = new URL(provider.issuer);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', headers: { host: 'rebound.example.com' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });
    expect(status).toBe(421);
  });
});
