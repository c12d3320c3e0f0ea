// The script of /docs: shows /openapi.json, and lets people sign in where the gateway names a client of the issuer.

const { document, location, SwaggerUIBundle } = globalThis;

const REDIRECT = '/docs/oauth2-redirect.html';
const SCOPES = { openid: 'who you are', email: 'your e-mail address', profile: 'your name' };

const { issuer, clientId } = document.body.dataset;
const [description, provider] = await Promise.all([json('/openapi.json'), clientId && discover(issuer)]);
if (provider) offerSignIn(description, provider);

const reference = SwaggerUIBundle({
  spec: description,
  domNode: document.querySelector('#reference'),
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  // Hundreds of schemas are shown where they are used.
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  oauth2RedirectUrl: location.origin + REDIRECT,
  // It would ask a server elsewhere.
  validatorUrl: null,
});
if (provider) {
  reference.initOAuth({ clientId, scopes: Object.keys(SCOPES).join(' '), usePkceWithAuthorizationCodeGrant: true });
}

async function json(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
  return await answer.json();
}

/** Where the issuer takes people; undefined while it cannot be reached, and then a token has to be pasted. */
async function discover(address) {
  try {
    return await json(`${address.replace(/\/$/, '')}/.well-known/openid-configuration`);
  } catch (error) {
    console.warn('nobody can sign in here now:', error);
    return undefined;
  }
}

function offerSignIn({ components, paths, security }, { authorization_endpoint, token_endpoint }) {
  components.securitySchemes.signIn = {
    type: 'oauth2',
    description: 'Sign in at the identity provider.',
    flows: {
      authorizationCode: { authorizationUrl: authorization_endpoint, tokenUrl: token_endpoint, scopes: SCOPES },
    },
  };
  const alternative = { signIn: Object.keys(SCOPES) };
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      const ways = operation.security ?? security;
      if (ways.some((way) => 'bearer' in way && Object.keys(way).length === 1)) {
        operation.security = [...ways, alternative];
      }
    }
  }
}
