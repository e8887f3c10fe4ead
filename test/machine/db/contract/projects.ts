import { expect, test } from "vitest";
import type {
  CommentRecord,
  NoteRecord,
  ProjectRecord,
  TicketRecord,
} from "../../../../src/features/projects/contract.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { projectStores } from "../../../support/project-stores.ts";
import { agent, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const ALL = { limit: 100, offset: 0 };
const made = { createdBy: "agt_a", revision: 1, createdAt: NOW, updatedAt: NOW };

export const project = (key: string, change: Partial<ProjectRecord> = {}): ProjectRecord => ({
  id: `prj_${key}`,
  key,
  name: `Project ${key}`,
  description: "",
  status: "active",
  lastNumber: 0,
  ...made,
  ...change,
});

export const ticket = (id: string, change: Partial<TicketRecord> = {}): Omit<TicketRecord, "number"> => ({
  id,
  projectId: "prj_TK",
  title: "A ticket",
  description: "",
  status: "open",
  priority: "normal",
  assigneeId: null,
  labels: [],
  ...made,
  ...change,
});

export const comment = (id: string, change: Partial<CommentRecord> = {}): CommentRecord => ({
  id,
  ticketId: "t1",
  createdBy: null,
  text: "Looks right.",
  createdAt: NOW,
  ...change,
});

export const note = (id: string, change: Partial<NoteRecord> = {}): NoteRecord => ({
  id,
  projectId: "prj_TK",
  title: "Deploying",
  body: "Press the button.",
  tags: ["ops"],
  ...made,
  ...change,
});

export function projectsContract(fresh: FreshStore): void {
  test("a project is found by id and key, listed by key in pages, and its key is taken", async () => {
    await using t = await fresh();
    const { projects } = projectStores(t.store);
    for (const key of ["ZED", "ABC", "TK"]) await projects.create(project(key));
    await projects.update("prj_ABC", { status: "archived", updatedAt: NOW + 1 });
    expect(await projects.get("prj_TK")).toEqual(project("TK"));
    expect(await projects.byKey("TK")).toEqual(project("TK"));
    expect(await projects.byKey("tk")).toBeUndefined();
    const page = await projects.list({ limit: 2, offset: 1 });
    expect(page.total).toBe(3);
    expect(page.items.map(({ key }) => key)).toEqual(["TK", "ZED"]);
    expect(await projects.list({ ...ALL, status: "archived" })).toEqual({
      items: [project("ABC", { status: "archived", revision: 2, updatedAt: NOW + 1 })],
      total: 1,
    });
    await expect(projects.create(project("TK", { id: "prj_other" }))).rejects.toMatchObject({
      code: "NAME_TAKEN",
      message: expect.stringContaining("TK"),
    });
  });

  test("a change made for an older revision is not made", async () => {
    await using t = await fresh();
    const { projects, tickets, projectNotes } = projectStores(t.store);
    await projects.create(project("TK"));
    await tickets.create(ticket("t1"));
    await projectNotes.create(note("n1"));
    const at = { updatedAt: NOW + 1 };
    expect(await projects.update("prj_TK", { name: "One", ...at }, 1)).toMatchObject({ revision: 2 });
    expect(await projects.update("prj_TK", { name: "Two", ...at }, 1)).toBeUndefined();
    expect(await tickets.update("t1", { title: "One", ...at }, 1)).toMatchObject({ revision: 2 });
    expect(await tickets.update("t1", { title: "Two", ...at }, 1)).toBeUndefined();
    expect(await projectNotes.update("n1", { title: "One", ...at }, 1)).toMatchObject({ revision: 2 });
    expect(await projectNotes.update("n1", { title: "Two", ...at }, 1)).toBeUndefined();
    expect(await projects.get("prj_TK")).toMatchObject({ name: "One", revision: 2 });
    expect(await tickets.get("t1")).toMatchObject({ title: "One", revision: 2 });
    expect(await projectNotes.get("prj_TK", "n1")).toMatchObject({ title: "One", revision: 2 });
  });

  test("what is not there cannot be changed or deleted", async () => {
    await using t = await fresh();
    const { projects, tickets, projectNotes } = projectStores(t.store);
    const missing = { code: "NOT_FOUND" };
    for (const work of [
      () => projects.update("no", { updatedAt: NOW }, 1),
      () => projects.delete("no"),
      () => tickets.create(ticket("t1")),
      () => tickets.update("no", { updatedAt: NOW }),
      () => tickets.delete("no"),
      () => tickets.comment(comment("c1")),
      () => tickets.deleteComment("t1", "no"),
      () => projectNotes.create(note("n1")),
      () => projectNotes.update("no", { updatedAt: NOW }),
      () => projectNotes.delete("no"),
    ])
      await expect(work(), String(work)).rejects.toMatchObject(missing);
    expect(await tickets.get("no")).toBeUndefined();
    expect(await projectNotes.get("prj_TK", "no")).toBeUndefined();
  });

  test("tickets are numbered per project, and no number is given twice", async () => {
    await using t = await fresh();
    const { projects, tickets } = projectStores(t.store);
    for (const key of ["TK", "AB"]) await projects.create(project(key));
    const first = await tickets.create(ticket("t1"));
    const second = await tickets.create(ticket("t2"));
    const other = await tickets.create(ticket("t3", { projectId: "prj_AB" }));
    expect([first?.number, second?.number, other?.number]).toEqual([1, 2, 1]);
    await tickets.delete("t2");
    expect(await tickets.create(ticket("t4"))).toMatchObject({ number: 3 });
    expect(await tickets.byNumber("prj_TK", 3)).toEqual({ ...ticket("t4"), number: 3 });
    expect(await tickets.byNumber("prj_TK", 2)).toBeUndefined();
    expect(await projects.get("prj_TK")).toMatchObject({ lastNumber: 3, revision: 1 });
  });

  test("two processes that create tickets at once give each its own number", async () => {
    await using t = await fresh();
    const other = await t.another();
    await projectStores(t.store).projects.create(project("TK"));
    const creating = Array.from({ length: 40 }, (_, index) =>
      projectStores(index % 2 ? other : t.store).tickets.create(ticket(`t${index}`)),
    );
    const numbers = (await Promise.all(creating)).map((created) => created!.number);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  test("none is created beyond the most, whatever two processes create at the same moment", async () => {
    await using t = await fresh();
    const other = await t.another();
    const both = <T>(create: (store: typeof other, at: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 6 }, (_, at) => create(at % 2 ? other : t.store, at)));
    const kept = (made: readonly unknown[]) => made.filter(Boolean).length;
    await projectStores(t.store).projects.create(project("TK"));
    expect(kept(await both((store, at) => projectStores(store).projects.create(project(`P${at}`), 3)))).toBe(
      2,
    );
    expect(kept(await both((store, at) => projectStores(store).tickets.create(ticket(`t${at}`), 3)))).toBe(3);
    const [{ id: ticketId } = { id: "" }] = (await projectStores(t.store).tickets.list(ALL)).items;
    expect(
      kept(
        await both((store, at) => projectStores(store).tickets.comment(comment(`c${at}`, { ticketId }), 3)),
      ),
    ).toBe(3);
    expect(kept(await both((store, at) => projectStores(store).projectNotes.create(note(`n${at}`), 3)))).toBe(
      3,
    );
    // What was not created has used up no number.
    expect(await projectStores(t.store).projects.get("prj_TK")).toMatchObject({ lastNumber: 3 });
  });

  test("tickets are found by words beyond A to Z in the cases that people write them in", async () => {
    await using t = await fresh();
    await projectStores(t.store).projects.create(project("TK"));
    await projectStores(t.store).tickets.create(ticket("t1", { title: "École à Zürich" }));
    await projectStores(t.store).tickets.create(ticket("t2", { title: "ÉCOLE" }));
    await projectStores(t.store).tickets.create(ticket("t3", { description: "une école, Москва, 東京" }));
    const found = async (...words: string[]) =>
      (await projectStores(t.store).tickets.list({ ...ALL, words })).items.map(({ id }) => id).sort();
    for (const word of ["école", "École", "ÉCOLE"])
      expect(await found(word), word).toEqual(["t1", "t2", "t3"]);
    expect(await found("zürich", "à")).toEqual(["t1"]);
    expect(await found("москва", "東京")).toEqual(["t3"]);
  });

  test("tickets are listed newest first, in pages, and narrowed by what they are", async () => {
    await using t = await fresh();
    await accessTables(t.store).agents.create(agent("ada"));
    const { projects, tickets } = projectStores(t.store);
    for (const key of ["TK", "AB"]) await projects.create(project(key));
    await tickets.create(ticket("t1", { assigneeId: "agt_ada", status: "done", title: "Fix the Door" }));
    await tickets.create(
      ticket("t2", { labels: ["a_b", "ui"], priority: "urgent", description: "100% door" }),
    );
    await tickets.create(ticket("t3", { labels: ["axb"], createdAt: NOW + 1 }));
    await tickets.create(ticket("t4", { projectId: "prj_AB", createdAt: NOW - 1 }));
    const ids = async (filter: object) =>
      (await tickets.list({ ...ALL, ...filter })).items.map(({ id }) => id);
    expect(await ids({})).toEqual(["t3", "t2", "t1", "t4"]);
    expect(await tickets.list({ limit: 2, offset: 1 })).toMatchObject({
      total: 4,
      items: [{ id: "t2" }, { id: "t1" }],
    });
    expect(await ids({ projectId: "prj_AB" })).toEqual(["t4"]);
    expect(await ids({ statuses: ["done", "review"] })).toEqual(["t1"]);
    expect(await ids({ assigneeId: "agt_ada" })).toEqual(["t1"]);
    expect(await ids({ assigneeId: null })).toEqual(["t3", "t2", "t4"]);
    expect(await ids({ priority: "urgent" })).toEqual(["t2"]);
    // Neither `_` nor `%` stands for anything else.
    expect(await ids({ label: "a_b" })).toEqual(["t2"]);
    expect(await ids({ label: "a" })).toEqual([]);
    expect(await ids({ words: ["DOOR"] })).toEqual(["t2", "t1"]);
    expect(await ids({ words: ["door", "0%"] })).toEqual(["t2"]);
    expect(await ids({ words: ["\\"] })).toEqual([]);
    expect((await tickets.list({ limit: 1e9, offset: -3.5 })).items).toHaveLength(4);
  });

  test("tickets are counted by status, comments by ticket, notes by project", async () => {
    await using t = await fresh();
    const { projects, tickets, projectNotes } = projectStores(t.store);
    for (const key of ["TK", "AB"]) await projects.create(project(key));
    for (const id of ["t1", "t2"]) await tickets.create(ticket(id));
    await tickets.create(ticket("t3", { status: "done" }));
    for (const id of ["c1", "c2"]) await tickets.comment(comment(id));
    await projectNotes.create(note("n1"));
    const counted = await tickets.counts(["prj_TK", "prj_AB"]);
    expect([...counted].sort((a, b) => a.count - b.count)).toEqual([
      { projectId: "prj_TK", status: "done", count: 1 },
      { projectId: "prj_TK", status: "open", count: 2 },
    ]);
    expect(await tickets.commentCounts(["t1", "t2"])).toEqual(new Map([["t1", 2]]));
    expect(await projectNotes.counts(["prj_TK", "prj_AB"])).toEqual(new Map([["prj_TK", 1]]));
    expect([await tickets.counts([]), (await tickets.commentCounts([])).size]).toEqual([[], 0]);
  });

  test("comments are listed oldest first, and deleted one by one", async () => {
    await using t = await fresh();
    const { projects, tickets } = projectStores(t.store);
    await projects.create(project("TK"));
    await tickets.create(ticket("t1"));
    await tickets.comment(comment("c2", { createdAt: NOW + 1, createdBy: "agt_a" }));
    await tickets.comment(comment("c1"));
    await tickets.comment(comment("c3", { createdAt: NOW + 2 }));
    expect(await tickets.comments("t1", { limit: 2, offset: 0 })).toEqual({
      items: [comment("c1"), comment("c2", { createdAt: NOW + 1, createdBy: "agt_a" })],
      total: 3,
    });
    await expect(tickets.deleteComment("t9", "c1")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await tickets.deleteComment("t1", "c1");
    expect((await tickets.comments("t1", ALL)).items.map(({ id }) => id)).toEqual(["c2", "c3"]);
  });

  test("notes are listed newest first, and those of another project are not found", async () => {
    await using t = await fresh();
    const { projects, projectNotes } = projectStores(t.store);
    for (const key of ["TK", "AB"]) await projects.create(project(key));
    await projectNotes.create(note("n1"));
    await projectNotes.create(note("n2", { createdAt: NOW + 1, tags: [] }));
    await projectNotes.create(note("n3", { projectId: "prj_AB" }));
    expect(await projectNotes.list("prj_TK", { limit: 1, offset: 0 })).toEqual({
      items: [note("n2", { createdAt: NOW + 1, tags: [] })],
      total: 2,
    });
    expect(await projectNotes.get("prj_TK", "n3")).toBeUndefined();
    await projectNotes.delete("n3");
    expect((await projectNotes.list("prj_AB", ALL)).total).toBe(0);
  });

  test("a project goes with its tickets, their comments and its notes", async () => {
    await using t = await fresh();
    const { projects, tickets, projectNotes } = projectStores(t.store);
    for (const key of ["TK", "AB"]) await projects.create(project(key));
    await tickets.create(ticket("t1"));
    await tickets.create(ticket("t2", { projectId: "prj_AB" }));
    await tickets.comment(comment("c1"));
    await projectNotes.create(note("n1"));
    await projects.delete("prj_TK");
    const { tables } = await t.store.dump();
    expect(tables.tickets).toMatchObject([{ id: "t2" }]);
    expect([tables.ticketComments, tables.projectNotes]).toEqual([[], []]);
  });

  test("a ticket goes with its comments, and outlives the agent it was assigned to", async () => {
    await using t = await fresh();
    const { agents } = accessTables(t.store);
    const { projects, tickets } = projectStores(t.store);
    await agents.create(agent("ada"));
    await projects.create(project("TK"));
    await tickets.create(ticket("t1", { assigneeId: "agt_ada" }));
    await tickets.comment(comment("c1"));
    await agents.delete("agt_ada");
    expect(await tickets.get("t1")).toMatchObject({ assigneeId: null });
    await tickets.delete("t1");
    expect((await tickets.comments("t1", ALL)).total).toBe(0);
  });
}
