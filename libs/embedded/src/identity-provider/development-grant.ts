/** By this grant of OAuth `npm run token` is given a token for any e-mail address, as this client. */
export const developmentGrant = 'urn:platform:grant-type:development';
export const commandClient = 'platform-command';
