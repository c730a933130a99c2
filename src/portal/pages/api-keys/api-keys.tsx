import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { quoteValue } from '../../api/filters.ts'
import type { ApiKey, IssuedApiKey } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { useDialog } from '../../parts/dialogs/dialog.ts'
import { SecretShown } from '../../parts/dialogs/secret-shown.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { ListSearch, useSearchWords } from '../../parts/forms/search-field.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { apiKeyTexts } from '../../texts/pages/api-keys.ts'
import { KeyForm } from './key-form.tsx'
import { McpAccessSection } from './mcp-access.tsx'
import { RotateForm } from './rotate-form.tsx'

/** A whole key, and the prefix that is not secret. */
const KEY = /^(ch_[a-z]+_[0-9A-Za-z]{8})[0-9A-Za-z]+$/

/** API keys of the instance, newest first. */
export function ApiKeysPage() {
  const texts = useTexts(apiKeyTexts)
  const [pageNumber, turn] = usePageNumber('page')
  const sought = useSearchWords()
  const [isAdding, adding] = useDialog('add')
  const [rotated, setRotated] = useState<ApiKey | null>(null)
  const [issued, setIssued] = useState<IssuedApiKey | null>(null)
  const filter = sought === '' ? '' : `name~${quoteValue(sought)}||prefix~${quoteValue(sought)}`
  const query = { PageSize: 50, PageNumber: pageNumber, OrderBy: 'createdOn', Desc: true, FilterQuery: filter }
  const keys = useRead<ListPage<ApiKey>>(withQuery('/api-keys', query), { keep: true })
  const close = () => {
    adding.close()
    setRotated(null)
    setIssued(null)
  }
  return (
    <Page title={texts.title} lead={texts.lead} actions={<Button onClick={adding.open}>{texts.add}</Button>}>
      <ListSearch label={texts.search} toWords={(typed) => KEY.exec(typed)?.[1] ?? typed} />
      <Answer read={keys}>
        {(page) => (
          <>
            <Keys keys={page.data} isSearch={sought !== ''} onRotate={setRotated} />
            <Pager page={page} onTurn={turn} />
          </>
        )}
      </Answer>
      {keys.data !== undefined && <McpAccessSection />}
      {isAdding && issued === null && <KeyForm onClose={close} onIssued={setIssued} />}
      {rotated !== null && issued === null && <RotateForm of={rotated} onClose={close} onIssued={setIssued} />}
      {issued !== null && (
        <SecretShown secret={issued.key} title={texts.shownTitle} lead={texts.shownLead} kept={texts.kept} onClose={close} />
      )}
    </Page>
  )
}

function Keys({ keys, isSearch, onRotate }: { keys: readonly ApiKey[]; isSearch: boolean; onRotate(key: ApiKey): void }) {
  const texts = useTexts(apiKeyTexts)
  return (
    <Grid
      label={texts.title}
      rows={keys}
      keyOf={({ id }) => id}
      empty={isSearch ? { title: texts.nothing, hint: texts.nothingHint } : { title: texts.none, hint: texts.noneHint }}
      columns={[
        {
          name: texts.name,
          cell: ({ name, prefix }) => (
            <>
              <UserText most={80}>{name}</UserText>
              <br />
              <code>{prefix}…</code>
            </>
          ),
        },
        {
          name: texts.scopes,
          cell: ({ scopes }) =>
            scopes.map((scope) => (
              <div key={scope} className="phrases">
                {texts.groups[scope]}
              </div>
            )),
        },
        { name: texts.state, cell: (key) => <State of={key} /> },
        { name: texts.created, cell: ({ createdOn }) => <When at={createdOn} /> },
        { name: texts.lastUse, cell: ({ lastUsedOn }) => (lastUsedOn ? <When at={lastUsedOn} /> : texts.unused) },
        { name: texts.expires, cell: ({ expiresOn }) => (expiresOn ? <When at={expiresOn} /> : texts.never) },
        { name: texts.actions, isAction: true, cell: (key) => key.state === 'active' && <Actions of={key} onRotate={onRotate} /> },
      ]}
    />
  )
}

function State({ of: { state, replacedBy } }: { of: ApiKey }) {
  const texts = useTexts(apiKeyTexts)
  if (state !== 'active') return <Mark health="idle">{texts.states[state]}</Mark>
  return replacedBy === null ? <Mark health="good">{texts.states.active}</Mark> : <Mark health="busy">{texts.replaced}</Mark>
}

function Actions({ of: key, onRotate }: { of: ApiKey; onRotate(key: ApiKey): void }) {
  const texts = useTexts(apiKeyTexts)
  const revoke = useChange<string>((id) => ({ method: 'DELETE', path: `/api-keys/${id}` }))
  const name = key.name.slice(0, 80)
  return (
    <Group gap="xs">
      {key.replacedBy === null && (
        <Button size="xs" variant="default" aria-label={texts.rotateOne(name)} onClick={() => onRotate(key)}>
          {texts.rotate}
        </Button>
      )}
      <Confirm
        label={texts.revoke}
        name={texts.revokeOne(name)}
        title={texts.revokeTitle}
        question={texts.revokeQuestion}
        isDangerous
        {...revoke.toConfirm(key.id)}
      />
    </Group>
  )
}
