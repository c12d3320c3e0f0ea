import { describe, expect, it } from '@jest/globals';
import { loadedModules, packagesOf } from '@platform-backend/testing';

describe('billing', () => {
  it('starts without the packages of Stripe and of mail, which most of its processes never use', () => {
    const packages = packagesOf(loadedModules('../src/areas.ts', import.meta.url));
    expect(packages).toContain('knex');
    for (const unused of ['stripe', 'nodemailer']) expect(packages).not.toContain(unused);
  });
});
