/** By this grant of OAuth `npm run token` is given a token for any e-mail address, as this client. */
export const developmentGrant = 'urn:platform:grant-type:development';
export const commandClient = 'platform-command';

/** The client of pages on this machine: no secret, PKCE, any redirect address on loopback. Keycloak's realm calls it the same. */
export const webClient = 'platform-web';
