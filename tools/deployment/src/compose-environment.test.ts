import { describe, expect, it } from '@jest/globals';
import { generateServiceKeys } from '@platform-backend/auth';
import { newServiceKey } from './compose-environment.ts';

const kids = (value: string): string[] => (JSON.parse(value) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
const textsOf = (value: string): string[] =>
  (JSON.parse(value) as { keys: object[] }).keys.map((key) => JSON.stringify(key));

describe('a new key of a service', () => {
  it('is known beside the old one first, then used, and then alone', async () => {
    const { publicKeys } = await generateServiceKeys(['gateway', 'billing']);
    const known = publicKeys as { keys: { kid: string }[] };
    const [both, own, alone] = await newServiceKey('billing', known);
    expect([both?.[0], own?.[0], alone?.[0]]).toEqual([
      'SERVICE_PUBLIC_KEYS',
      'BILLING_PRIVATE_KEY',
      'SERVICE_PUBLIC_KEYS',
    ]);
    expect(kids(both?.[1] ?? '')).toEqual(['gateway', 'billing', 'billing']);
    expect(kids(alone?.[1] ?? '')).toEqual(['gateway', 'billing']);
    const [gateway, old, made] = textsOf(both?.[1] ?? '');
    expect(textsOf(alone?.[1] ?? '')).toEqual([gateway, made]);
    expect(made).not.toBe(old);
    const { x } = JSON.parse(own?.[1] ?? '') as { x: string };
    expect(JSON.parse(made ?? '')).toMatchObject({ x, kid: 'billing' });
    expect(made).not.toContain('"d"');
  });

  it('is not made for whoever has none', async () => {
    await expect(newServiceKey('content', { keys: [{ kid: 'gateway' }] })).rejects.toThrow(/knows no "content"/);
  });
});
