import { html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { logoPath } from '../branding/logos.ts'
import { pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { errorSummary, type FieldProblem, fieldErrorOf } from './field-problems.ts'
import { heading, type Page } from './page.ts'

/** Choice between several books opened by one login. */
export function booksPage(
  visitor: Visitor,
  visit: Visit,
  choice: { state: string; books: readonly { id: string; name: string }[] },
  problems: readonly FieldProblem[],
): Page {
  const texts = visitor.texts.books
  const path = pathTo(visit, '/connect/books', { choice: choice.state })
  const hasProblem = problems.length > 0
  return {
    title: texts.title,
    step: 'connect',
    address: path,
    status: hasProblem ? 422 : 200,
    body: html`<p class="pair"><img src="${logoPath(visit.open.service.source.description.key)}" alt="" width="56" height="56"></p>
${errorSummary(visitor, problems)}
${heading(texts.title)}
<p>${texts.explain(visit.source, visit.company)}</p>
<form method="post" action="${path}">
<input type="hidden" name="form" value="${visit.formToken}">
<fieldset id="field-entity" tabindex="-1"${hasProblem && html` aria-describedby="error-entity"`}>
<legend>${texts.legend}</legend>
${fieldErrorOf(problems, 'entity')}
<ul class="choices">
${choice.books.map(({ id, name }, index) => html`<li><label for="book-${index}"><input type="radio" id="book-${index}" name="entity" value="${id}"> ${safeDisplayName(name)}</label></li>`)}
</ul>
</fieldset>
<p class="actions"><button>${texts.go}</button></p>
</form>`,
  }
}
