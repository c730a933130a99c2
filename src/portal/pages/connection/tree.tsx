import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { AccountingAccount, Category } from '../../api/generated/types.ts'
import { useWhole } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { type Branch, buildTree, type ChartAccount } from './account-tree.ts'
import { type ConnectionKey, dataPath, explanationHref } from './paths.ts'

/** Accounts of a chart whose branches are all open at first. */
const MAX_OPEN = 500
/** Accounts of one branch that are shown at once. */
const SHOWN = 500

interface TreeProps {
  connectionKey: ConnectionKey
  asOf: string | null
}

/** Chart of accounts by class, type and subtype. */
export function Tree({ category, ...of }: TreeProps & { category: Category }) {
  const texts = useTexts(dataTexts)
  const accounts = useWhole<AccountingAccount>(dataPath(of.connectionKey, category, 'accounts'), { asOf: of.asOf }, { keep: true })
  if (accounts.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  return (
    <Answer read={accounts} lines={8}>
      {({ data }) => (
        <ul className="tree">
          {buildTree(data).map((branch) => (
            <TreeNode key={branch.name} branch={branch} isOpenAtFirst={data.length <= MAX_OPEN} {...of} />
          ))}
        </ul>
      )}
    </Answer>
  )
}

/** Renders what is below only while it is open, since a chart may have tens of thousands of accounts. */
function TreeNode({ branch, isOpenAtFirst, ...of }: TreeProps & { branch: Branch; isOpenAtFirst: boolean }) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <UserText>{branch.name}</UserText> ({branch.count})
        </summary>
        {isOpen && (
          <ul>
            {branch.branches.map((each) => (
              <TreeNode key={each.name} branch={each} isOpenAtFirst={isOpenAtFirst} {...of} />
            ))}
            <Leaves accounts={branch.accounts} {...of} />
          </ul>
        )}
      </details>
    </li>
  )
}

function Leaves({ accounts, connectionKey, asOf }: TreeProps & { accounts: readonly ChartAccount[] }) {
  const texts = useTexts(dataTexts)
  const [count, setCount] = useState(SHOWN)
  return (
    <>
      {accounts.slice(0, count).map(({ id, number, name }) => (
        <li key={id}>
          <Link href={explanationHref(connectionKey, id, 'accounts', asOf)}>
            <UserText most={120}>{[number, name].filter(Boolean).join(' ')}</UserText>
          </Link>
        </li>
      ))}
      {accounts.length > count && (
        <li>
          <Button size="xs" variant="default" onClick={() => setCount(count + SHOWN)}>
            {texts.showNext(Math.min(SHOWN, accounts.length - count))}
          </Button>
        </li>
      )}
    </>
  )
}
