import { GLOBAL_OPTIONS } from './arguments.ts'
import type { Command } from './command.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** Shell script that completes `countinghouse`, generated from the declarations of the commands. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'fish') return fishScript(commands)
  const body = caseOfCommands(commands)
  return shell === 'bash' ? bashScript(commands, body) : zshScript(commands, body)
}

/** Flags and choices of one command. */
function describe({ name, options, arguments: own = [] }: Command) {
  const all: Record<string, { value?: string; summary: string }> = {
    ...options,
    json: { summary: GLOBAL_OPTIONS.json },
    help: { summary: GLOBAL_OPTIONS.help },
  }
  return {
    name,
    options: Object.entries(all).map(([option, { value, summary }]) => ({ option, value, summary, words: wordsOf(value) })),
    choices: own.map(({ choices = [] }) => choices),
  }
}

/** `api|worker|all` are choices; `NAME` is not. */
function wordsOf(value: string | undefined): readonly string[] {
  return value?.includes('|') ? value.split('|') : []
}

/** Lines shared by bash and zsh: completions for `$command` at position `$place`, after the option `$before`. */
function caseOfCommands(commands: readonly Command[]): string[] {
  return commands
    .map(describe)
    .flatMap(({ name, options, choices }) => [
      `    ${name})`,
      `      options=${quote(options.map(({ option }) => `--${option}`).join(' '))}`,
      '      case "$before" in',
      ...options
        .filter(({ value }) => value !== undefined)
        .map(({ option, words }) => `        --${option}) values=${quote(words.join(' '))}; takes=1 ;;`),
      '      esac',
      '      case "$place" in',
      ...choices.flatMap((words, index) => (words.length > 0 ? [`        ${index + 1}) words=${quote(words.join(' '))} ;;`] : [])),
      '      esac',
      '      ;;',
    ])
}

/** Counts the arguments before the word under the cursor. */
function countPlaces(first: number, current: string, word: string): string {
  return `place=1 index=${first}
  while [ "$index" -lt "${current}" ]; do
    case "${word}" in -*) ;; *) place=$((place + 1)) ;; esac
    index=$((index + 1))
  done`
}

function bashScript(commands: readonly Command[], body: readonly string[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  return `_countinghouse() {
  local command before current options="" values="" words="" takes="" place index
  current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} help' -- "$current"))
    return
  fi
  ${countPlaces(2, '$COMP_CWORD', `\${COMP_WORDS[index]}`)}
  case "$command" in
    help) words='${names}' ;;
${body.join('\n')}
  esac
  if [ -n "$takes" ]; then words="$values"; else case "$current" in -*) words="$options" ;; esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then compopt -o default 2>/dev/null; fi
}
complete -F _countinghouse countinghouse`
}

function zshScript(commands: readonly Command[], body: readonly string[]): string {
  const described = [{ name: 'help', summary: 'explains a command' }, ...commands].map(({ name, summary }) => quote(`${name}:${summary}`))
  return `#compdef countinghouse
_countinghouse() {
  local command before current options="" values="" takes="" place index found=""
  current="\${words[CURRENT]}" before="\${words[CURRENT-1]}" command="\${words[2]}"
  if [ "$CURRENT" -eq 2 ]; then
    local -a names
    names=(${described.join(' ')})
    _describe command names
    return
  fi
  ${countPlaces(3, '$CURRENT', `\${words[index]}`)}
  case "$command" in
    help) found='${commands.map(({ name }) => name).join(' ')}' ;;
${body.map((line) => line.replace(/\) words=/, ') found=')).join('\n')}
  esac
  if [ -n "$takes" ]; then found="$values"; else case "$current" in -*) found="$options" ;; esac; fi
  if [ -n "$found" ]; then compadd -- \${=found}; else _files; fi
}
compdef _countinghouse countinghouse`
}

function fishScript(commands: readonly Command[]): string {
  const first = '__fish_use_subcommand'
  return [
    `complete -c countinghouse -n ${first} -f -a help -d 'explains a command'`,
    ...commands.flatMap((command) => {
      const { name, options, choices } = describe(command)
      const seen = `'__fish_seen_subcommand_from ${name}'`
      return [
        `complete -c countinghouse -n ${first} -f -a ${name} -d ${quote(command.summary)}`,
        ...choices.flatMap((words, index) => {
          if (words.length === 0) return []
          // Offered after the preceding argument, or the command’s name, until one of these is there.
          const before = [[name], ...choices][index] ?? []
          const when = `__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${before.join(' ')}; and not __fish_seen_subcommand_from ${words.join(' ')}`
          return [`complete -c countinghouse -n ${quote(when)} -f -a ${quote(words.join(' '))}`]
        }),
        ...options.map(({ option, value, summary, words: some }) => {
          const takes = value === undefined ? '' : some.length > 0 ? ` -x -a ${quote(some.join(' '))}` : ' -r'
          return `complete -c countinghouse -n ${seen} -l ${option}${takes} -d ${quote(summary)}`
        }),
      ]
    }),
  ].join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
