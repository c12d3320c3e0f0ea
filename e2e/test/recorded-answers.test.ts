import { beforeAll, describe, expect, it } from '@jest/globals';
import { disagreements, recordedGroups, type RecordedCase } from '@platform-backend/contract/testing/recorded-answers';
import { repetitions } from '@platform-backend/testing';
import { sendExactly } from '../src/http.ts';
import { accessToken, newOrganisation, newPerson } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();

/**
 * What validation refuses never leaves the gateway, whose own tests ask for all of it: here of each group all that goes through to
 * the services and one that does not, and everything in the long form.
 */
const asked = (cases: readonly RecordedCase[]): readonly RecordedCase[] => {
  if (repetitions({ usual: 0, long: 1 }) === 1) return cases;
  const refused = cases.filter(({ expect: { passes } }) => passes !== true);
  return [...cases.filter(({ expect: { passes } }) => passes === true), ...refused.slice(0, 1)];
};

describe('the recorded answers of the original service', () => {
  let token: string;

  beforeAll(async () => {
    const ada = await newPerson(platform, 'Ada');
    const { id: organisationId } = await newOrganisation(ada);
    // Some cases make organisations: the token says which one the others mean.
    token = await accessToken(platform, { email: ada.email, name: ada.name, organisationId });
  });

  it.each([...recordedGroups()])('are the platform’s own over HTTP: %s', async (_, cases) => {
    expect(await disagreements(asked(cases), token, (request) => sendExactly(platform.url, request))).toEqual([]);
  });
});
