import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { PROBLEMS, type Problem, type ProblemKind } from '../http/problem.ts'
import { localize } from '../texts/locale.ts'
import { pathTo, type Visitor } from '../visit/visitor.ts'
import { backLink } from './back-link.ts'
import { OWNER_PAGE_PATH } from './owner-page.ts'
import { heading, type Page, resumePath } from './page.ts'

/** Label of the only button; pages without one are final. */
const NEXT: Partial<Record<ProblemKind, 'tryAgain' | 'startOver' | 'back' | 'goOn'>> = {
  declined: 'tryAgain',
  incomplete: 'tryAgain',
  mismatch: 'tryAgain',
  state: 'startOver',
  silent: 'tryAgain',
  refused: 'tryAgain',
  forged: 'startOver',
  unreadable: 'back',
  often: 'goOn',
  full: 'goOn',
  busy: 'tryAgain',
  ours: 'tryAgain',
}

/** Problem page: whose fault it is, what to do now, and the reference in our log (`reference`, the request's id). */
export function problemPage(visitor: Visitor, problem: Pick<Problem, 'kind' | 'details'>, reference: string): Page {
  const { visit } = visitor
  const texts = textsOf(visitor, problem)
  const next = NEXT[problem.kind]
  return {
    title: texts.title,
    status: PROBLEMS[problem.kind],
    address: pathTo(visit, '/connect/problem', { kind: problem.kind, reference }),
    outcome: { event: problem.kind === 'declined' ? 'left' : 'failed', detail: { reason: problem.kind } },
    body: html`${heading(texts.title)}
<p>${texts.what}</p>
<p>${texts.next}</p>
${visitor.returnsTo === 'window' && !visitor.isFramed && visit && html`<p>${visitor.texts.frame.closeText}</p>`}
${visit && next && html`<p class="actions"><a class="button" href="${resumePath(visit)}">${visitor.texts.problems[next]}</a>${problem.kind === 'declined' && backLink(visitor, visit, 'declined')}</p>`}
${!visit && visitor.owner && next && html`<p class="actions"><a class="button" href="${OWNER_PAGE_PATH}">${visitor.texts.problems[next]}</a></p>`}
${problem.kind !== 'declined' && renderReference(visitor, reference)}`,
  }
}

function renderReference(visitor: Visitor, reference: string): Html {
  return html`<p class="reference">${visitor.texts.layout.reference} <code>${reference}</code></p>`
}

function textsOf(visitor: Visitor, problem: Pick<Problem, 'kind' | 'details'>): { title: string; what: string; next: string } {
  const { visit } = visitor
  const { problems } = visitor.texts
  const requester = visit?.requester ?? ''
  const service = visit ? visit.source : ''
  const { kind, details } = problem
  switch (kind) {
    case 'mismatch': {
      const { mismatch } = problems
      const { names } = details
      const what = names ? mismatch.named(safeDisplayName(names.before), safeDisplayName(names.now)) : mismatch.what
      return { title: mismatch.title, what, next: mismatch.next(requester) }
    }
    case 'incomplete': {
      const { incomplete } = problems
      return { ...incomplete, what: details.text ? localize(details.text, visitor.locale) : incomplete.what }
    }
    case 'silent':
      return { title: problems.silent.title(service), what: problems.silent.what(service), next: problems.silent.next }
    case 'refused':
      return { title: problems.refused.title(service), what: problems.refused.what(service), next: problems.refused.next(requester) }
    case 'off':
      return { title: problems.off.title(service), what: problems.off.what, next: problems.off.next(requester) }
    case 'full':
    case 'quota':
      return { ...problems[kind], next: problems[kind].next(requester) }
    default:
      return problems[kind]
  }
}
