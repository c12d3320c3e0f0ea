import { describe, expect, it } from '@jest/globals';
import { compileRoutes, type Route } from '@platform-backend/contract/http';
import {
  disagreements,
  recordedGroups,
  type Answer,
  type CaseRequest,
} from '@platform-backend/contract/testing/recorded-answers';
import { loadPlatformContract } from '@platform-backend/contracts';

const contract = loadPlatformContract();
const routes = compileRoutes(contract, { cursorKey: 'a key for tests' });
const token = 'a-good-token';

/** The gateway in small: the route first, then who is calling, then the request itself. */
function send({ method, target, headers, body }: CaseRequest): Answer {
  const question = target.indexOf('?');
  const rawPath = question === -1 ? target : target.slice(0, question);
  const rawQuery = question === -1 ? '' : target.slice(question + 1);
  const match = routes.match(method, rawPath, rawQuery);
  if (match.kind === 'redirect') return answer(307, undefined, { location: match.location });
  if (match.kind === 'not_found') return answer(404, 'Not Found');
  if (match.kind === 'method_not_allowed') return answer(405, 'Method Not Allowed', { allow: match.allow });
  if (!/^bearer [^ ]+$/i.test(headers['authorization'] ?? '')) {
    return answer(401, 'Not authenticated', { 'www-authenticate': 'Bearer' });
  }
  const { route, pathParameters } = match;
  const parsed = route.parse({ pathParameters, rawQuery, headers, body });
  return parsed.ok
    ? { ...answer(200), parsed: valuesOf(route, parsed.message) }
    : answer(parsed.status, JSON.parse(JSON.stringify(parsed.detail)));
}

function answer(status: number, detail?: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: detail === undefined ? undefined : { detail } };
}

/** The request message as the service will see it, in the words of the JSON interface. */
function valuesOf({ operation }: Route, message: Buffer): Record<string, unknown> {
  const definition = contract.serviceDefinition(operation.service)[operation.method];
  const request = definition?.requestDeserialize(message) as Record<string, unknown>;
  const values = Object.fromEntries(Object.entries(request).map(([name, value]) => [snakeCase(name), value]));
  const { notificationSettings, audio } = request as { notificationSettings?: Setting[]; audio?: Audio };
  return {
    ...values,
    ...(notificationSettings && { notification_settings: notificationSettings.map(settingOf) }),
    ...(audio && { audio: audioOf(audio) }),
  };
}

interface Setting {
  email: { userIds: string[] } | null;
  slack: { channelIds: string[] } | null;
}

function settingOf({ email, slack }: Setting): unknown {
  return email ? { method: 'EMAIL', user_ids: email.userIds } : { method: 'SLACK', channel_ids: slack?.channelIds };
}

interface Audio {
  filename: string;
  content: Uint8Array;
}

function audioOf({ filename, content }: Audio): unknown {
  return { filename, size: content.length };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

// RECORDED_ANSWERS names another file of cases, for instance one that was kept back.
describe('agrees with the recorded answers', () => {
  for (const [group, cases] of recordedGroups(process.env['RECORDED_ANSWERS'])) {
    it(`${group} (${cases.length})`, async () => {
      expect(await disagreements(cases, token, send)).toEqual([]);
    });
  }
});
