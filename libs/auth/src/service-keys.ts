import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from 'jose';

export interface ServiceKeys {
  /** The private key of each service, `kid` being its name. */
  privateKeys: Record<string, JWK>;
  /** What every service needs in order to check the others. */
  publicKeys: JSONWebKeySet;
}

/** Makes an Ed25519 key pair for each service: for development, tests and first installation. */
export async function generateServiceKeys<const Name extends string>(
  names: readonly Name[],
): Promise<ServiceKeys & { privateKeys: Record<Name, JWK> }> {
  const pairs = await Promise.all(
    names.map(async (name) => {
      const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
      const described = { kid: name, alg: 'EdDSA', use: 'sig' };
      return {
        name,
        private: { ...(await exportJWK(privateKey)), ...described },
        public: { ...(await exportJWK(publicKey)), ...described },
      };
    }),
  );
  return {
    privateKeys: Object.fromEntries(pairs.map((pair): [string, JWK] => [pair.name, pair.private])) as Record<Name, JWK>,
    publicKeys: { keys: pairs.map((pair) => pair.public) },
  };
}
