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
  plugins: [{ statePlugins: { spec: { wrapActions: { requestResolvedSubtree } } } }],
});
if (provider) {
  reference.initOAuth({ clientId, scopes: Object.keys(SCOPES).join(' '), usePkceWithAuthorizationCodeGrant: true });
}

/**
 * Of an operation that is opened, or asked for again. Swagger UI itself would take the whole description apart for each: ten seconds and more in
 * which the page answers to nothing.
 */
function requestResolvedSubtree(_original, { specActions, specSelectors }) {
  return (path) => {
    if (specSelectors.specResolvedSubtree(path) !== undefined) return;
    specActions.updateResolvedSubtree(path, resolved(path.reduce((value, key) => value?.[key], description)));
  };
}

/** With what is referred to in its place; a schema that contains itself stays a reference where it would begin anew. */
function resolved(part, within = []) {
  if (Array.isArray(part)) return part.map((one) => resolved(one, within));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref: reference, ...own } = part;
  if (typeof reference !== 'string')
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolved(value, within)]));
  if (within.includes(reference)) return part;
  const [, ...keys] = reference.split('/');
  const target = keys.reduce((value, key) => value[key], description);
  return { ...resolved(target, [...within, reference]), ...own };
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
