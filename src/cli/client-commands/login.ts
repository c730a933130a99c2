import { type CommandContext, defineCommand, UsageError } from '../command/command.ts'

export const login = defineCommand({
  name: 'login',
  summary: 'keeps the address of a deployment and an API key for the commands of developers',
  description: [
    'The API key is asked for without being shown, or read from standard input, or from COUNTINGHOUSE_API_KEY; never from the arguments, which every user of the machine can read in the list of processes. It is tried before it is kept. An administrator creates keys on the page “API keys” of the portal, with the scopes that the commands need.',
    'The file countinghouse/profiles.json in XDG_CONFIG_HOME or ~/.config keeps one or more profiles and has mode 600. The last login is the current one; --profile of a command chooses another. Programs set COUNTINGHOUSE_ADDRESS and COUNTINGHOUSE_API_KEY instead.',
    'With --sandbox and the settings of a sandbox on this machine (DATA_DIR, PORT), a key is created by itself.',
  ],
  arguments: [{ name: 'ADDRESS', summary: 'address of the deployment, such as https://data.example.com', isOptional: true }],
  options: {
    profile: { value: 'NAME', summary: 'name of the profile; default when left out' },
    sandbox: { summary: 'creates an API key of the sandbox that runs on this machine' },
  },
  examples: [
    { line: 'countinghouse login --sandbox', summary: 'the sandbox that npm start has started' },
    { line: 'countinghouse login https://data.example.com', summary: 'asks for the key' },
    { line: 'pass show countinghouse | countinghouse login https://data.example.com --profile live', summary: 'with a key from a store' },
  ],
  run: async (values, context) => {
    const address = values.argument(0)
    if (values.flag('sandbox') && address !== null) throw new UsageError('--sandbox takes the address from the settings; leave ADDRESS out')
    const { checkAddress, checkProfileName, DEFAULT_PROFILE } = await import('../client/profiles.ts')
    const name = checkProfileName(values.text('profile') ?? DEFAULT_PROFILE)
    const { logIn, readOwnKey } = await import('../client/log-in.ts')
    if (values.flag('sandbox')) {
      const { createSandboxKey } = await import('../deployment/sandbox-key.ts')
      return await logIn(context, name, await createSandboxKey(context))
    }
    if (address === null) throw new UsageError('ADDRESS is missing: the address of the deployment, or --sandbox')
    const checked = checkAddress(address)
    warnOfPlainText(checked, context)
    return await logIn(context, name, { address: checked, key: await readOwnKey(context, checked) })
  },
})

function warnOfPlainText(address: string, { say }: CommandContext): void {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'http:' && !/^(127\..*|\[::1\]|localhost)$/.test(hostname))
    say(`warning: ${address} is not encrypted: whoever is on the way can read the API key`)
}
