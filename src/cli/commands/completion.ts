import { defineCommand, UsageError } from '../command/command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export const completion = defineCommand({
  name: 'completion',
  summary: 'prints the completion of commands, actions and options for a shell',
  description: [
    'Completes the names of commands, their actions and options, and values that are one of a few words. Print it again after an upgrade.',
  ],
  arguments: [{ name: 'SHELL', summary: SHELLS.join(', '), choices: SHELLS }],
  options: {},
  examples: [
    { line: 'source <(countinghouse completion bash)', summary: 'in ~/.bashrc' },
    { line: 'source <(countinghouse completion zsh)', summary: 'in ~/.zshrc, after compinit' },
    { line: 'countinghouse completion fish > ~/.config/fish/completions/countinghouse.fish', summary: 'for fish' },
  ],
  run: async (values, { commands }) => {
    const shell = SHELLS.find((one) => one === values.argument(0))
    if (!shell) throw new UsageError(`${JSON.stringify(values.argument(0))} is no shell that is supported; there are: ${SHELLS.join(', ')}`)
    const { completionScript } = await import('../command/completion.ts')
    const text = completionScript(shell, commands)
    return { document: { shell, script: text }, text }
  },
})
