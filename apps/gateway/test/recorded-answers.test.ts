import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  disagreements,
  recordedGroups,
  type Answer,
  type CaseRequest,
} from '@platform-backend/contract/testing/recorded-answers';
import { request as httpRequest } from 'node:http';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let platform: PlatformUnderTest;
let token = '';
beforeAll(async () => {
  platform = await startPlatform();
  // The cases touch every operation; whoever owns the organisation may call them all.
  platform.identity.members.set('user-ada', [{ organisationId: 'org_ada', level: 'OWNER' }]);
  token = await platform.issuer.token();
});
afterAll(() => platform.stop());

/** Sends a case byte for byte: `fetch` would tidy its path and add a content type. */
const send = ({ method, target, headers, body }: CaseRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { host, port } = platform.gateway;
    const length = body === undefined ? {} : { 'content-length': body.length };
    const request = httpRequest(
      { host, port, method, path: target, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const single = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(single) as Record<string, string>,
            body: text === '' ? undefined : (JSON.parse(text) as unknown),
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });

describe('answers like the original service, over HTTP', () => {
  it.each([...recordedGroups()])('%s', async (_group, cases) => {
    expect(await disagreements(cases, token, send)).toEqual([]);
  });
});
