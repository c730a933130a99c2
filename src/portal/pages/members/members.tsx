import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { quoteValue } from '../../api/filters.ts'
import type { User } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { useDialog } from '../../parts/dialogs/dialog.ts'
import { Mark } from '../../parts/display/status.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { ListSearch, useSearchWords } from '../../parts/forms/search-field.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { memberTexts } from '../../texts/pages/members.ts'
import { MemberForm } from './member-form.tsx'
import { SignInRulesSection } from './sign-in-rules.tsx'

export function MembersPage() {
  const texts = useTexts(memberTexts)
  const words = useTexts(common)
  const [pageNumber, turn] = usePageNumber('page')
  const sought = useSearchWords()
  const [edited, setEdited] = useState<User | null>(null)
  const [isAdding, adding] = useDialog('add')
  const filter = sought === '' ? '' : `name~${quoteValue(sought)}||email~${quoteValue(sought)}`
  const query = { PageSize: 50, PageNumber: pageNumber, OrderBy: 'name', FilterQuery: filter }
  const users = useRead<ListPage<User>>(withQuery('/users', query), { keep: true })
  return (
    <Page title={texts.title} lead={texts.lead} actions={<Button onClick={() => adding.open()}>{texts.add}</Button>}>
      <ListSearch label={texts.search} />
      <Answer read={users}>
        {(page) => (
          <>
            <Grid
              label={texts.title}
              rows={page.data}
              keyOf={({ id }) => id}
              empty={sought === '' ? { title: texts.none } : { title: texts.nothing, hint: texts.nothingHint }}
              columns={[
                { name: texts.name, cell: ({ name }) => <UserText most={80}>{name}</UserText> },
                {
                  name: texts.email,
                  cell: ({ email, emailProvenOn, isFromProvider }) => (
                    <>
                      <UserText most={100}>{email}</UserText> {emailProvenOn === null && <Mark health="idle">{texts.unproven}</Mark>}{' '}
                      {isFromProvider && <Mark health="idle">{texts.fromProvider}</Mark>}
                    </>
                  ),
                },
                { name: texts.role, cell: ({ role }) => texts.shortRoles[role] },
                { name: texts.enabled, cell: ({ isEnabled }) => (isEnabled ? words.yes : words.no) },
                { name: texts.twoStep, cell: ({ twoStepVerify }) => (twoStepVerify ? words.yes : words.no) },
                { name: texts.since, cell: ({ createdOn }) => <When at={createdOn} /> },
                {
                  name: texts.edit,
                  isAction: true,
                  cell: (user) => (
                    <Button size="xs" variant="default" aria-label={texts.editOne(user.name.slice(0, 80))} onClick={() => setEdited(user)}>
                      {texts.edit}
                    </Button>
                  ),
                },
              ]}
            />
            <Pager page={page} onTurn={turn} />
          </>
        )}
      </Answer>
      {/* Below a list that is there: it would be pushed down. */}
      {users.data !== undefined && <SignInRulesSection />}
      {isAdding && <MemberForm user={null} onClose={adding.close} />}
      {edited !== null && <MemberForm user={edited} onClose={() => setEdited(null)} />}
    </Page>
  )
}
