import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { missingPrograms } from '@platform-backend/system-programs';
import { waitFor } from '@platform-backend/testing';
import { describeWhere, itWhere } from '@platform-backend/testing/where';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { startChromium, type Chromium, type Page } from '../src/chromium.ts';
import { scriptsIn } from '../src/documented-commands.ts';
import { kernelsForOneLack } from '../src/kernels-here.ts';
import { newCustomer, newOrganisation, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { OpenApiDocument } from '../src/sample-request.ts';

const platform = sharedPlatform();
const GUIDE = join(import.meta.dirname, '../../docs/guides/web-application.md');
const kernelLack = await kernelsForOneLack();

describeWhere(missingPrograms('chromium'), 'in Chromium, which reaches nothing but this machine,', () => {
  let chromium: Chromium;
  let issuer: string;
  beforeEach(async () => {
    chromium = await startChromium();
    issuer = /data-issuer="([^"]+)"/.exec(await (await fetch(`${platform.url}/docs`)).text())?.[1] ?? '';
  });
  afterEach(() => chromium.stop());

  /** Says who somebody is on the provider's page. */
  const signIn = async (page: Page, { email }: Pick<Person, 'email'>): Promise<void> => {
    await page.type('#email', email);
    await page.click('form button');
  };
  const expectNothingElse = (): void => {
    expect([...chromium.hosts].filter((host) => !['127.0.0.1', 'localhost'].includes(host))).toEqual([]);
    expect(chromium.complaints).toEqual([]);
  };

  itWhere(undefined, 'people sign in at /docs by PKCE, and try an operation', async () => {
    const ada = await newCustomer(platform, 'Ada');
    const { paths } = (await (await fetch(`${platform.url}/openapi.json`)).json()) as OpenApiDocument;
    const { tags: [tag = ''] = [], operationId } = { ...paths['/me/']?.['get'] } as {
      tags?: string[];
      operationId?: string;
    };
    const page = await chromium.open(`${platform.url}/docs#/${tag.replaceAll(' ', '_')}/${operationId ?? ''}`);

    await page.click('.auth-wrapper button.authorize');
    // Of the ways that are offered the one by the provider has an address to go to.
    const signInButton = `[...document.querySelectorAll('.auth-container')].find((way) => way.textContent.includes('Authorization URL'))?.querySelector('button.authorize')`;
    await waitFor(() => page.evaluate(`${signInButton}?.click() === undefined && ${signInButton} !== undefined`), {
      what: 'the way by the provider',
      timeout: 60_000,
    });
    await signIn(await chromium.windowAt(`${issuer}/sign-in/`), ada);
    const isSignedIn = `[...document.querySelectorAll('.auth-container')].some((way) => way.textContent.includes('Logout'))`;
    await waitFor(() => page.evaluate(isSignedIn), { what: 'being signed in', timeout: 60_000 });
    await page.click('.modal-ux .close-modal');

    const operation = '.opblock.is-open';
    await page.click(`${operation} .try-out__btn`);
    await page.click(`${operation} .execute`);
    const answered = await waitFor(
      () =>
        page.evaluate<string | undefined>(`document.querySelector('${operation} .live-responses-table')?.innerText`),
      { what: 'the answer', timeout: 60_000 },
    );
    expect(answered).toMatch(/^200\b/m);
    expect(answered).toContain(`"email": "${ada.email}"`);
    expectNothingElse();
  });

  describe('a page of another origin, made as the guide says,', () => {
    /** The blocks of the guide, on this platform. */
    const [signingIn = '', calling = '', streaming = '', kernels = '', uploading = ''] = scriptsIn(
      readFileSync(GUIDE, 'utf8'),
    ).map((script) => script.replaceAll('127.0.0.1:8080', platform.url.replace('http://', '')));

    /** What the page leaves in `told`, once it is over, for somebody of two organisations. */
    const followed = async <Told>(script: string): Promise<Told> => {
      const library = createRequire(join(import.meta.dirname, '../../libs/embedded/package.json')).resolve(
        'oidc-client-ts',
      );
      const files: Readonly<Record<string, string>> = {
        '/page.js': `${signingIn.replace(/authority: '[^']*'/, `authority: '${issuer}'`)}
const token = user.access_token;
const me = await (await fetch('${platform.url}/me/', { headers: { authorization: 'Bearer ' + token } })).json();
const organisation = me.organisations.find(({ name }) => name === 'Example Ltd').id;
${calling}
globalThis.told = await (async () => {${script}})();`,
        // Its form for pages has all that it needs in one file, and a name instead of exports.
        '/oidc-client-ts.js': `${readFileSync(join(dirname(library), '../browser/oidc-client-ts.min.js'), 'utf8')}
export const { UserManager } = oidc;`,
      };
      const html =
        '<!doctype html><link rel="icon" href="data:,"><script type="importmap">{"imports":{"oidc-client-ts":"/oidc-client-ts.js"}}</script><script type="module" src="/page.js"></script>';
      const server = createServer(({ url = '' }, response) => {
        const file = files[url];
        response.setHeader('Content-Type', file === undefined ? 'text/html' : 'text/javascript');
        response.end(file ?? html);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const ada = await newCustomer(platform, 'Ada');
        await newOrganisation(ada, 'Another Ltd');
        const { port } = server.address() as AddressInfo;
        const page = await chromium.open(`http://localhost:${port}/`);
        await signIn(page, ada);
        const told = await waitFor(
          async () => {
            expect(chromium.complaints).toEqual([]);
            return await page.evaluate<{ is?: Told }>(`({ is: globalThis.told })`).then(({ is }) => is);
          },
          { what: 'the end of the page', timeout: 60_000 },
        );
        expectNothingElse();
        return told;
      } finally {
        server.closeAllConnections();
        server.close();
      }
    };

    itWhere(undefined, 'calls, reads a stream and uploads', async () => {
      const told = await followed<{ events: string[]; status: string }>(`
const events = [];
const console = { log: (event) => events.push(event) };
${streaming.replace('async function* events', 'async function* eventsOf').replace('of events(', 'of eventsOf(')}
const file = new File(['Everybody has thirty days of holidays in a year.'], 'handbook.txt', { type: 'text/plain' });
${uploading}
return { events, status: (await (await call('/documents/' + id + '/')).json()).status };`);
      expect(told.events).toEqual(expect.arrayContaining(['text', 'finished']));
      expect(told.status).toMatch(/./);
    });

    itWhere(kernelLack, 'opens the WebSocket of a kernel by both ways', async () => {
      const told = await followed<{ opened: string[] }>(`
const kernel = (await (await call('/notebooks/services/session/api/kernels', {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}',
})).json()).id;
${kernels}
const opened = await Promise.all([byQuery, byProtocol].map((socket) => new Promise((resolve, reject) => {
  socket.onopen = () => resolve('opened ' + socket.protocol);
  socket.onclose = ({ code }) => reject(new Error('closed ' + code));
})));
for (const socket of [byQuery, byProtocol]) socket.close();
return { opened };`);
      expect(told.opened).toEqual(['opened ', 'opened v1.kernel.websocket.jupyter.org']);
    });
  });
});
