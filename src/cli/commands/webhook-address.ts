import { defineCommand } from '../command/command.ts'

export const webhookAddress = defineCommand({
  name: 'webhook-address',
  summary: 'prints the secret addresses for webhooks of sources that do not sign them',
  description: [
    'Enter the address at the source. Whoever knows one can make Countinghouse look for news; keep it secret, and out of the log of the proxy.',
  ],
  options: {},
  examples: [
    { line: 'BASE_URL=https://data.example.com countinghouse webhook-address', summary: 'the addresses below the public address' },
  ],
  run: async (_values, context) => {
    const [{ connectors }, { openExistingKeysOf }, { tokenHasher }, { webhookUrlOf }, { readSettings }] = await Promise.all([
      import('../../connectors/registry.ts'),
      import('../../process/settings/keys-setting.ts'),
      import('../../store/keys/token-hash.ts'),
      import('../../sync/provider-webhooks/subscribe.ts'),
      import('../deployment/settings.ts'),
    ])
    const config = readSettings(context)
    const tokens = { hashToken: tokenHasher(await openExistingKeysOf(config)), hide: () => undefined }
    const addresses = connectors
      .filter(({ unsignedWebhooks }) => unsignedWebhooks)
      .map((source) => ({ connector: source.key, name: source.name, url: webhookUrlOf(tokens, config.connectUrl, source) }))
    return {
      document: { addresses },
      text: [
        'These sources do not sign their webhooks. Whoever knows an address can make Countinghouse look for news; keep it secret.',
        '',
        ...addresses.map(({ name, url }) => `${name}: ${url}`),
      ].join('\n'),
    }
  },
})
