/** The part of a Keycloak realm that the check looks at. */
export type Realm = { realm: string; clients: RealmClient[] };

type RealmClient = {
  clientId: string;
  protocolMappers?: { protocolMapper: string; config: Record<string, string> }[];
};

/** What the gateway is told to trust. */
export type Trust = { issuer: string; audience: string };

/**
 * What would keep a token of the realm from being taken, or let one pass that is no access token: an ID token is meant
 * for its client, so the API must not be called like one.
 */
export const realmProblems = ({ realm, clients }: Realm, { issuer, audience }: Trust): string[] => [
  ...(issuer.endsWith(`/realms/${realm}`) ? [] : [`The gateway trusts ${issuer}, which is not the realm ${realm}.`]),
  ...clients.flatMap((client) =>
    clientProblems(client, audience).map((problem) => `The client ${client.clientId} ${problem}.`),
  ),
];

const clientProblems = ({ clientId, protocolMappers = [] }: RealmClient, audience: string): string[] => {
  const naming = protocolMappers.filter(
    ({ protocolMapper, config }) =>
      protocolMapper === 'oidc-audience-mapper' &&
      [config['included.custom.audience'], config['included.client.audience']].includes(audience),
  );
  return [
    ...(clientId === audience ? ['is called like the audience of the API, which its ID tokens would then bear'] : []),
    ...(naming.some(({ config }) => config['access.token.claim'] === 'true')
      ? []
      : [`puts no audience ${audience} into access tokens`]),
    // Absent, it counts as true.
    ...(naming.some(({ config }) => config['id.token.claim'] !== 'false')
      ? [`puts the audience ${audience} into ID tokens`]
      : []),
  ];
};
