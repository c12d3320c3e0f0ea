import { addressRequired } from './errors.ts';

/** A person as the identity provider knows them; issuer and subject together name one for good. */
export interface User extends TokenPerson {
  readonly id: string;
}

/** What a verified token says about its bearer. Empty texts mean that the token does not say. */
export interface TokenPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

/**
 * The user that a token's bearer is from now on: known facts are refreshed, a silent token takes nothing away. FORBIDDEN: nobody
 * known, and no e-mail address.
 */
export function userFromToken(known: User | undefined, person: TokenPerson, newId: () => string): User {
  if (!known) {
    if (person.email === '') throw addressRequired();
    return { id: newId(), ...person };
  }
  const withEmail = person.email === '' ? {} : { email: person.email, emailVerified: person.emailVerified };
  const next: User = { ...known, ...withEmail, name: person.name === '' ? known.name : person.name };
  const same = next.name === known.name && next.email === known.email && next.emailVerified === known.emailVerified;
  return same ? known : next;
}
