import { describe, expect, it } from '@jest/globals';
import { userFromToken, type TokenPerson, type User } from './user.ts';

const person: TokenPerson = {
  issuer: 'https://id',
  subject: 's1',
  name: 'Ada',
  email: 'ada@acme.com',
  emailVerified: true,
};
const ada: User = { id: 'u1', ...person };
const newId = () => 'u1';

describe('the user behind a token', () => {
  it('is made on first sight', () => {
    expect(userFromToken(undefined, person, newId)).toEqual(ada);
  });

  it('stays the same object when nothing is new, so that nothing is written', () => {
    expect(userFromToken(ada, person, newId)).toBe(ada);
  });

  it('gets a new name and a new address, with that address as verified as the token says', () => {
    expect(
      userFromToken(ada, { ...person, name: 'Ada L.', email: 'ada@new.com', emailVerified: false }, newId),
    ).toMatchObject({
      name: 'Ada L.',
      email: 'ada@new.com',
      emailVerified: false,
    });
  });

  it('keeps what a token does not speak of', () => {
    expect(userFromToken(ada, { ...person, name: '', email: '', emailVerified: false }, newId)).toBe(ada);
  });
});
