import { Button, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type OneTimeLink, type Operator, useOperatorChange, useOperatorRead } from '../api/operator.ts'
import { Answer } from '../parts/answers/answer.tsx'
import { Confirm } from '../parts/dialogs/confirm.tsx'
import { useDialog, useFocusBack } from '../parts/dialogs/dialog.ts'
import { UserText } from '../parts/display/user-text.tsx'
import { SaveForm } from '../parts/forms/save-form.tsx'
import { Page } from '../parts/layout/page.tsx'
import { PagedGrid } from '../parts/tables/paged-grid.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'
import { operatorTexts } from '../texts/pages/operator.ts'
import { LinkShown } from './link-shown.tsx'

/** Operators of the deployment. */
export function OperatorsPage() {
  const texts = useTexts(operatorTexts)
  const words = useTexts(common)
  const operators = useOperatorRead<Operator[]>('/operators')
  const [isAdding, adding] = useDialog('add')
  const remove = useOperatorChange<string>((id) => ({ method: 'DELETE', path: `/operators/${id}` }))
  return (
    <Page title={texts.operators} lead={texts.operatorsLead} actions={<Button onClick={() => adding.open()}>{texts.addOperator}</Button>}>
      <Answer read={operators}>
        {(rows) => (
          <PagedGrid
            page="page"
            label={texts.operators}
            rows={rows}
            keyOf={({ id }) => id}
            empty={{ title: texts.none }}
            columns={[
              { name: texts.name, cell: ({ name }) => <UserText most={80}>{name}</UserText> },
              { name: texts.email, cell: ({ email }) => <UserText most={100}>{email}</UserText> },
              { name: texts.canSignIn, cell: ({ hasPassword }) => (hasPassword ? words.yes : words.no) },
              {
                name: words.remove,
                isAction: true,
                cell: ({ id, name }) => (
                  <Confirm
                    label={words.remove}
                    name={texts.removeOne(name.slice(0, 80))}
                    title={texts.removeOne(name.slice(0, 80))}
                    question={texts.removeLead}
                    isDangerous
                    isBusy={remove.isPending}
                    problem={remove.error}
                    onConfirm={(done) => remove.mutate(id, { onSuccess: done })}
                  />
                ),
              },
            ]}
          />
        )}
      </Answer>
      {isAdding && <NewOperator onClose={adding.close} />}
    </Page>
  )
}

function NewOperator({ onClose }: { onClose(): void }) {
  const texts = useTexts(operatorTexts)
  const [link, setLink] = useState<OneTimeLink | null>(null)
  useFocusBack()
  const add = useOperatorChange<object, { link: OneTimeLink }>(
    (body) => ({ method: 'POST', path: '/operators', body }),
    (answer) => setLink(answer.link),
  )
  return (
    <Modal opened onClose={onClose} title={texts.addOperator}>
      {link ? (
        <LinkShown link={link} onClose={onClose} />
      ) : (
        <SaveForm
          change={add}
          onSave={(values) => add.mutate({ name: String(values.get('name')), email: String(values.get('email')) })}
          onCancel={onClose}
        >
          <TextInput name="name" label={texts.name} required withAsterisk={false} maxLength={200} mb="sm" data-autofocus />
          <TextInput name="email" type="email" label={texts.email} required withAsterisk={false} maxLength={320} mb="sm" />
        </SaveForm>
      )}
    </Modal>
  )
}
