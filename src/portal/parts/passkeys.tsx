import { Button, Modal, Text, TextInput } from '@mantine/core'
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { Passkey } from '../api/generated/types.ts'
import type { Problem } from '../api/problem.ts'
import { passkeyTexts } from '../texts/account/passkeys.ts'
import { useTexts } from '../texts/language/language.tsx'
import { Answer } from './answers/answer.tsx'
import { ProblemBox } from './answers/problem-box.tsx'
import { Confirm } from './dialogs/confirm.tsx'
import { useFocusBack } from './dialogs/dialog.ts'
import { UserText, When } from './display/user-text.tsx'
import { onSubmit, SaveForm } from './forms/save-form.tsx'
import { Grid } from './tables/grid.tsx'

interface PasskeysProps {
  passkeys: UseQueryResult<Passkey[], Problem>
  add: Pick<UseMutationResult<unknown, Problem, string>, 'mutate' | 'isPending' | 'isSuccess' | 'error'>
  rename: Pick<UseMutationResult<unknown, Problem, { id: string; name: string }>, 'mutate' | 'reset' | 'isPending' | 'error'>
  remove: Pick<UseMutationResult<unknown, Problem, string>, 'mutate' | 'isPending' | 'error'>
}

/** Passkeys of an account, of a user or an operator: listed, added, renamed, removed. */
export function PasskeyList({ passkeys, add, rename, remove }: PasskeysProps) {
  const texts = useTexts(passkeyTexts)
  const [renamed, setRenamed] = useState<Passkey | null>(null)
  return (
    <>
      <Text mb="sm" maw={640}>
        {texts.lead}
      </Text>
      <Answer read={passkeys} lines={2}>
        {(rows) => (
          <Grid
            label={texts.title}
            rows={rows}
            keyOf={({ id }) => id}
            empty={{ title: texts.none }}
            columns={[
              { name: texts.name, cell: ({ name }) => <UserText most={80}>{name}</UserText> },
              { name: texts.since, cell: ({ createdOn }) => <When at={createdOn} /> },
              { name: texts.lastUse, cell: ({ lastUsedOn }) => <When at={lastUsedOn} /> },
              {
                name: texts.rename,
                cell: (passkey) => (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={texts.renameOne(passkey.name.slice(0, 80))}
                    onClick={() => setRenamed(passkey)}
                  >
                    {texts.rename}
                  </Button>
                ),
              },
              {
                name: texts.remove,
                isAction: true,
                cell: ({ id, name }) => (
                  <Confirm
                    label={texts.remove}
                    name={texts.removeOne(name.slice(0, 80))}
                    title={texts.removeTitle}
                    question={texts.removeQuestion}
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
      {renamed !== null && <RenameForm passkey={renamed} rename={rename} onClose={() => setRenamed(null)} />}
      <PasskeyForm add={add} />
    </>
  )
}

function RenameForm({ passkey: { id, name }, rename, onClose }: Pick<PasskeysProps, 'rename'> & { passkey: Passkey; onClose(): void }) {
  useFocusBack()
  const texts = useTexts(passkeyTexts)
  const close = () => {
    rename.reset()
    onClose()
  }
  const save = (given: FormData) => rename.mutate({ id, name: String(given.get('name')).trim() }, { onSuccess: close })
  return (
    <Modal opened onClose={close} title={texts.renameOne(name.slice(0, 80))}>
      <SaveForm change={rename} onSave={save} onCancel={close}>
        <TextInput name="name" label={texts.name} defaultValue={name} maxLength={100} required data-autofocus autoComplete="off" />
      </SaveForm>
    </Modal>
  )
}

/** Name of a new passkey; the browser then asks for the rest. */
export function PasskeyForm({ add }: Pick<PasskeysProps, 'add'>) {
  const texts = useTexts(passkeyTexts)
  const send = (given: FormData, form: HTMLFormElement) =>
    add.mutate(String(given.get('passkeyName')).trim(), { onSuccess: () => form.reset() })
  return (
    <form className="narrow" onSubmit={onSubmit(send)}>
      <TextInput name="passkeyName" label={texts.newName} maxLength={100} required withAsterisk={false} my="sm" autoComplete="off" />
      {add.error && <ProblemBox problem={add.error} />}
      <Button type="submit" variant="default" loading={add.isPending}>
        {texts.add}
      </Button>
      <Text size="sm" role="status" mt="xs">
        {add.isSuccess ? texts.added : ''}
      </Text>
    </form>
  )
}
