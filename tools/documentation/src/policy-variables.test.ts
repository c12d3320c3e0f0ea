import { describe, expect, it } from '@jest/globals';
import { policyVariables } from './policy-variables.ts';

const CONFIG = `
http:
  port: \${PORT:-8080}
pipelines:
  platform:
    policies:
      - cors:
          - action:
              origins: '\${ORIGINS:-*}'
              seconds: 600
      - limit:
          - action:
              max: \${MAX:-5}
`;

describe('the variables of policies', () => {
  const variables = policyVariables(CONFIG, {
    cors: { properties: { origins: { type: 'string', description: 'who may' } } },
    limit: { properties: { max: { type: 'integer', minimum: 1, description: 'how many' } } },
  });

  it('are those that the file gives to them, as their schemas describe them', () => {
    expect(variables).toMatchObject({
      ORIGINS: { fallback: { value: '*' }, description: 'who may' },
      MAX: { fallback: { value: 5 }, mustBe: 'a whole number of at least 1', description: 'how many' },
    });
    expect(Object.keys(variables)).toEqual(['ORIGINS', 'MAX']);
  });
});
