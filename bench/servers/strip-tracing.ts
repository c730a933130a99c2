/** What tracing adds to the path of a read, by the end of a file's path, with what stands there in a build without it. */
const HOOKS: Readonly<Record<string, readonly (readonly [hook: RegExp, without: string])[]>> = {
  'src/api/read-cache/read-fast-path.ts': [
    [/import \{ activeTracer \} from [^\n]+\n/, ''],
    [/import \{ traceParentOf \} from [^\n]+\n/, ''],
    [/ *const span = activeTracer\(\)\?\.openLeaf\([\s\S]*?\n {6}\}\)\)\n/, ''],
    [/ *span\?\.set\([^\n]+\n *span\?\.end\(\)\n/, ''],
  ],
  'src/api/http/request-spans.ts': [
    [
      /import \{ activeTracer, type Span \} from [^\n]+\n/,
      'type Span = { set(facts: object): void; end(failure?: unknown): void; run<T>(work: () => T): T }\n',
    ],
    [/const span = activeTracer\(\)\?\.open\([^\n]+\n/, 'const span: Span | undefined = undefined\n'],
    [/ *app\.addHook\('onResponse'[\s\S]*?\n {2}\}\)\n *app\.addHook\('onRequestAbort'[^\n]+\n/, ''],
  ],
  'src/tracing/spans.ts': [
    [/(export function activeTracer\(\): Tracer \| null \{\n) *return tracer\n/, '$1  return null\n'],
    [/ *if \(tracer === null\) return await work\(NO_SPAN\)\n[\s\S]*?\n\}\n/, '  return await work(NO_SPAN)\n}\n'],
    [/return tracer\?\.traceParent\(\) \?\? null/, 'return null'],
  ],
}

/** Files that have hooks, by the ends of their paths. */
export const TRACED_FILES = Object.keys(HOOKS)

/** A file's text without its hooks; as it is if it has none. Throws when a hook is not where it is expected. */
export function stripTracing(path: string, text: string): string {
  const [end, hooks] = Object.entries(HOOKS).find(([name]) => path.endsWith(`/${name}`)) ?? []
  if (end === undefined || hooks === undefined) return text
  return hooks.reduce((left, [hook, without]) => {
    if (!hook.test(left)) throw new Error(`${end} has no ${hook} any more: bench/servers/strip-tracing.ts has to follow it`)
    return left.replace(hook, without)
  }, text)
}
