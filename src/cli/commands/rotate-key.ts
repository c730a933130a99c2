import { defineCommand } from '../command/command.ts'

export const rotateKey = defineCommand({
  name: 'rotate-key',
  summary: 'adds an encryption key; running processes re-encrypt all stored secrets with it',
  description: [
    'Workers use the new key within ten minutes and re-encrypt with it what older keys encrypt. countinghouse_sealed_values at /metrics counts what each key still encrypts; a key that encrypts nothing may be deleted when no backup of the database needs it.',
  ],
  options: {},
  examples: [{ line: 'countinghouse rotate-key', summary: 'a new encryption key; back up DATA_DIR/keys afterwards' }],
  run: async (_values, context) => {
    const [{ addKey, openKeys }, { readSettings }] = await Promise.all([
      import('../../store/keys/keys.ts'),
      import('../deployment/settings.ts'),
    ])
    const { dataDir } = readSettings(context)
    const before = (await openKeys(dataDir)).sealing.newest.id
    const id = await addKey(dataDir, 'sealing')
    return {
      document: { purpose: 'sealing', id, before },
      text: [
        `Sealing key ${id} added. Back up ${dataDir}/keys now, and copy it to every host that has a folder of its own.`,
        '',
        `Workers seal with it within ten minutes, and re-encrypt with it what key ${before} and older ones encrypt. countinghouse_sealed_values`,
        'at /metrics counts what each key still encrypts. A key that encrypts nothing may be deleted when no backup of the database needs it.',
      ].join('\n'),
    }
  },
})
