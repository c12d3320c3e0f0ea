import { accessToken as askForToken, type TokenHolder } from '@platform-backend/dev/access-token';
import { randomBytes } from 'node:crypto';
import { send, type Answer, type RequestParts } from './http.ts';
import type { PlatformFacts } from './platform.ts';
import type { Member, Organisation } from './resources.ts';

/** Somebody with an access token of the local identity provider. */
export type Person = {
  email: string;
  name: string;
  token: string;
  /** A request with this person's token. */
  call<Body = unknown>(method: string, path: string, parts?: RequestParts): Promise<Answer<Body>>;
};

/** A person nobody has seen before: each test has its own people and so its own organisations. */
export const newPerson = async (
  platform: Pick<PlatformFacts, 'url' | 'home'>,
  name: string,
  email = `${name.toLowerCase()}-${randomBytes(6).toString('hex')}@example.com`,
): Promise<Person> => {
  const token = await accessToken(platform, { email, name });
  return { email, name, token, call: callerOf(platform, token) };
};

/** Requests with this token. */
export const callerOf =
  (platform: Pick<PlatformFacts, 'url'>, token: string): Person['call'] =>
  (method, path, parts = {}) =>
    send(platform.url, method, path, { token, ...parts });

/** Somebody whose organisation has credits. */
export const newCustomer = async (platform: Pick<PlatformFacts, 'url' | 'home'>, name: string): Promise<Person> => {
  const person = await newPerson(platform, name);
  await newOrganisation(person);
  await buyCredits(person);
  return person;
};

/** So many that no journey uses them up. */
export const buyCredits = async (buyer: Pick<Person, 'call'>): Promise<void> => {
  expectOk(await buyer.call('POST', '/credits/purchases/', { body: { credits: 100 } }));
};

/** What `npm run token` prints; with an organisation's id the token names it. */
export const accessToken = ({ home }: Pick<PlatformFacts, 'home'>, holder: TokenHolder): Promise<string> =>
  askForToken({ home, homeAsTyped: home }, holder);

/** An organisation of this person, who is its OWNER. */
export const newOrganisation = async (owner: Person, name = 'Example Ltd'): Promise<Organisation> => {
  const body = { email: owner.email, name, image_url: 'https://example.com/logo.png' };
  return expectOk(await owner.call<Organisation>('POST', '/organisations/', { body }));
};

/** Brings a person into an organisation: the owner invites, the person accepts. */
export const join = async (
  owner: Person,
  organisation: Organisation,
  person: Person,
  level: string,
): Promise<Member> => {
  const body = { email: person.email, permission_level: level };
  const invited = expectOk(
    await owner.call<Member>('POST', '/organisations/members/', { organisationId: organisation.id, body }),
  );
  return expectOk(await person.call<Member>('POST', `/invitations/${invited.id}/accept/`));
};

/** The body of a success; anything else fails the test with the whole answer. */
export const expectOk = <Body>({ status, body, text }: Answer<Body>): Body => {
  if (status !== 200) throw new Error(`expected 200, got ${status}: ${text}`);
  return body;
};
