import { installTracer, type Span, type SpanFacts, type Tracer } from '../../src/tracing/spans.ts'
import { spellingsOf } from '../harness/database.ts'
import type { Canary } from './inputs.ts'

/** The canaries that a text shows, in any spelling. */
export function listShown(text: string, canaries: readonly Canary[]): string[] {
  return canaries.filter(({ value }) => spellingsOf(value).some((each) => text.includes(each))).map(({ at }) => at)
}

/** Everything that spans of this process say from now on. */
export function recordSpans(): { said: string[]; stop(): void } {
  const said: string[] = []
  const open = (name: string, facts: SpanFacts): Span => {
    said.push(JSON.stringify({ name, facts }))
    return {
      set: (more) => void said.push(JSON.stringify(more)),
      end: (failure) => void said.push(failure instanceof Error ? failure.name : ''),
      run: (work) => work(),
    }
  }
  const tracer: Tracer = {
    open: (name, _kind, _parent, facts) => open(name, facts),
    openLeaf: (_kind, _parent, describe) => {
      const { name, facts } = describe()
      return open(name, facts)
    },
    traceParent: () => null,
  }
  installTracer(tracer)
  return { said, stop: () => installTracer(null) }
}
