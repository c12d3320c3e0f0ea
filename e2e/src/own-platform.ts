import { fromJsonSchema } from '@modelcontextprotocol/server';
import { addressServer, type AddressServer } from '@platform-backend/content/testing/address-server';
import { says } from '@platform-backend/content/testing/chat-script';
import { mcpServer, type McpDouble } from '@platform-backend/content/testing/mcp-server';
import {
  openAiDouble,
  type ApiAnswer,
  type ApiRequest,
  type OpenAiDouble,
} from '@platform-backend/content/testing/openai-double';
import { throwawayNats, type ThrowawayNats } from '@platform-backend/testing';
import { startPlatform, type RunningPlatform } from './platform.ts';

/** A platform for what everybody on it notices: other settings, kills, an outage. */
export interface OwnPlatform {
  /** Another one after the outage. */
  platform: RunningPlatform;
  /** Without users, so that one may listen to every event. */
  readonly nats: ThrowawayNats;
  /** Its language model. */
  readonly model: OpenAiDouble;
  /** What the model answers. */
  answer: (asked: ApiRequest) => ApiAnswer;
  /** A tool server at an address that the platform's operator allows. */
  readonly orders: McpDouble;
  /** The orders that were cancelled through it. */
  readonly cancelled: readonly number[];
  /** Files at an address that the operator allows. */
  readonly files: AddressServer;
  stop(): Promise<void>;
}

export const chats = (): ApiAnswer => says('I can look for documents.');

export async function startOwnPlatform(): Promise<OwnPlatform> {
  const cancelled: number[] = [];
  const orders = await mcpServer((server) => {
    const inputSchema = fromJsonSchema<{ number: number }>({
      type: 'object',
      properties: { number: { type: 'number' } },
      required: ['number'],
    });
    const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
    server.registerTool('find_order', { description: 'Finds an order', inputSchema }, ({ number }) =>
      text(`Order ${String(number)}: 3 chairs`),
    );
    server.registerTool('cancel_order', { description: 'Cancels an order', inputSchema }, ({ number }) => {
      cancelled.push(number);
      return text(`Order ${String(number)} is cancelled`);
    });
  });
  const files = await addressServer();
  const nats = await throwawayNats();
  const model = await openAiDouble((asked) => own.answer(asked));
  const stopServers = async () => {
    files.close();
    await Promise.all([model.close(), orders.close(), nats.drop()]);
  };
  const environment = {
    NATS_URL: nats.url,
    LLM_BASE_URL: model.baseUrl,
    OUTBOUND_ALLOWED_HOSTS: `${orders.host}, ${files.host}`,
    GATEWAY_OPEN_OPERATIONS: 'billing.PaymentMethodService/CreateSetupIntent',
    // What killed processes leave behind is taken up soon.
    ...{ BILLING_CHANGE_LEASE_SECONDS: '5', CONTENT_TURN_LEASE_SECONDS: '3', PIPELINES_READ_LEASE_SECONDS: '3' },
    ...{ NOTEBOOKS_WARM_KERNELS: '0', NOTEBOOKS_KERNELS_PER_ORGANISATION: '1' },
    NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: '10000',
  };
  const platform = await startPlatform({ environment }).catch(async (error: unknown) => {
    await stopServers();
    throw error;
  });
  const own: OwnPlatform = {
    ...{ platform, nats },
    ...{ model, answer: chats, orders, cancelled, files },
    stop: async () => {
      await own.platform.stop();
      own.platform.forget();
      await stopServers();
    },
  };
  return own;
}
