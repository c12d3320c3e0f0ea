/** What the gateway can be told, for whoever describes it: its own variables, and the settings of its policies. */
import { corsPolicy } from './policies/cors.ts';
import { requestContextSettings } from './policies/request-context.ts';
import { transcodeSettings } from './policies/transcode.ts';

export { gatewaySettings } from './configuration.ts';

/** JSON Schemas by the policies that config/gateway.config.yml names, of those that have settings. */
export const policySettings = {
  'request-context': requestContextSettings,
  cors: corsPolicy.settings,
  transcode: transcodeSettings,
} as const;
