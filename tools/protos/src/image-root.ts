import { loadProtos, protosDirectory, shortenEnumValues } from '@platform-backend/contract';
import protobuf from 'protobufjs';
import 'protobufjs/ext/descriptor/index.js';

/** The options that descriptors bear, as `toObject` gives them: by `.platform.options.v1.rules` and the like. */
type Options = Readonly<Record<string, unknown>>;
interface Described {
  readonly name: string;
  readonly options?: Options;
}
interface DescribedEnum extends Described {
  readonly value?: readonly Described[];
}
interface DescribedMessage extends Described {
  readonly field?: readonly Described[];
  readonly nestedType?: readonly DescribedMessage[];
  readonly enumType?: readonly DescribedEnum[];
}
interface DescribedFile {
  readonly package?: string;
  readonly messageType?: readonly DescribedMessage[];
  readonly enumType?: readonly DescribedEnum[];
  readonly service?: readonly (Described & { readonly method?: readonly Described[] })[];
}

/**
 * An image with our options, for the same readers as .proto files. The library that reads descriptors leaves the options
 * of others out, so they are put back as if they had been parsed.
 */
export function rootOfImage(image: Uint8Array): protobuf.Root {
  const { fromDescriptor } = protobuf.Root as unknown as { fromDescriptor: (image: Uint8Array) => protobuf.Root };
  const root = fromDescriptor(image);
  const set = optionsRoot().lookupType('google.protobuf.FileDescriptorSet');
  const { file } = asWritten(() => set.toObject(set.decode(image), { enums: String, longs: Number })) as {
    file: DescribedFile[];
  };
  for (const { package: name = '', ...declared } of file) {
    const namespace = root.lookup(name);
    if (!name.startsWith('platform.') || !(namespace instanceof protobuf.Namespace)) continue;
    addToMessages(namespace, declared);
    for (const { name: serviceName, options, method = [] } of declared.service ?? []) {
      const service = namespace.lookupService(serviceName);
      setOptions(service, options);
      for (const rpc of method) setOptions(service.methods[rpc.name], rpc.options);
    }
  }
  shortenEnumValues(root);
  root.resolveAll();
  return root;
}

/**
 * Without the conversions that a contract registers for the messages of services, for the whole process: these fill in what is
 * absent, and options are as they were written.
 */
function asWritten<T>(read: () => T): T {
  const registered = { ...protobuf.wrappers };
  for (const name of Object.keys(registered))
    if (name.startsWith('.platform.')) Reflect.deleteProperty(protobuf.wrappers, name);
  try {
    return read();
  } finally {
    Object.assign(protobuf.wrappers, registered);
  }
}

function addToMessages(
  namespace: protobuf.NamespaceBase,
  declared: Pick<DescribedFile, 'messageType' | 'enumType'>,
): void {
  for (const message of declared.messageType ?? []) {
    const type = namespace.get(message.name) as protobuf.Type;
    setOptions(type, message.options);
    for (const { name, options } of message.field ?? []) setOptions(type.fields[name], options);
    addToMessages(type, { messageType: message.nestedType ?? [], enumType: message.enumType ?? [] });
  }
  for (const { name, options, value = [] } of declared.enumType ?? []) {
    const found = namespace.get(name) as protobuf.Enum;
    setOptions(found, options);
    found.valuesOptions = Object.fromEntries(
      value.map((each) => [each.name, Object.assign({}, ...parsed(each.options))]),
    );
  }
}

/** As the parser of .proto files leaves them. */
function setOptions(declared: protobuf.ReflectionObject | undefined, options: Options | undefined): void {
  Object.assign(declared ?? {}, { parsedOptions: parsed(options) });
}

const parsed = (options: Options = {}): Options[] =>
  Object.entries(options)
    .filter(([name]) => name.startsWith('.'))
    .map(([name, value]) => ({ [`(${name.slice(1)})`]: value }));

let known: protobuf.Root | undefined;
/** The options as they are now: their numbers never change. */
const optionsRoot = (): protobuf.Root =>
  (known ??= loadProtos(protosDirectory, ['platform/options/v1/options.proto', 'google/api/annotations.proto']));
