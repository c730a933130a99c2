import { type Html, html } from '../../model/texts/html.ts'
import type { Visitor } from '../visit/visitor.ts'

/** What is wrong with a field; with the whole form when `field` is null. */
export interface FieldProblem {
  field: string | null
  /** The field's label, where the summary needs it to be understood. */
  label?: string
  text: string
}

/** All that is wrong, before the heading; it takes the focus. Empty when all is well. */
export function errorSummary(visitor: Visitor, problems: readonly FieldProblem[]): Html {
  if (problems.length === 0) return html``
  return html`<div class="summary" role="alert" tabindex="-1" autofocus aria-labelledby="summary-title">
<h2 id="summary-title">${visitor.texts.layout.problem}</h2>
<ul>${problems.map(({ field, label, text }) => {
    const shown = label === undefined ? text : html`<strong>${label}</strong> ${text}`
    return html`<li>${field === null ? shown : html`<a href="#field-${field}">${shown}</a>`}</li>`
  })}</ul>
</div>`
}

/** The message beside the field, as `error-{field}`; null when the field is well. */
export function fieldErrorOf(problems: readonly FieldProblem[], field: string): Html | null {
  const own = problems.filter((problem) => problem.field === field)
  if (own.length === 0) return null
  return html`<p class="error" id="error-${field}">${own.map(({ text }) => html`<span>${text}</span> `)}</p>`
}
