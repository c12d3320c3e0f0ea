import { beforeAll, describe, expect, it } from '@jest/globals';
import { disagreements, recordedGroups } from '@platform-backend/contract/testing/recorded-answers';
import { sendExactly } from '../src/http.ts';
import { accessToken, newOrganisation, newPerson } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();

describe('the recorded answers of the original service', () => {
  let token: string;

  beforeAll(async () => {
    const ada = await newPerson(platform, 'Ada');
    const { id: organisationId } = await newOrganisation(ada);
    // Some cases make organisations: the token says which one the others mean.
    token = await accessToken(platform, { email: ada.email, name: ada.name, organisationId });
  });

  it.each([...recordedGroups()])('are the platform’s own over HTTP: %s', async (_, cases) => {
    expect(await disagreements(cases, token, (request) => sendExactly(platform.url, request))).toEqual([]);
  });
});
