import { describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { signIn, testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the users page", { timeout: 90_000 }, () => {
  it("a person is added, let in by a link, made an operator, signed out and removed", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/users");
    await page.getByRole("button", { name: "Add person" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("eve");
    await page.getByRole("dialog").getByRole("button", { name: "Add person" }).click();
    await page.getByRole("heading", { name: "eve" }).waitFor();
    await page.getByRole("button", { name: "Create login link" }).click();
    const link = (await page.getByRole("region", { name: "Login link" }).textContent())!;
    const { url, complaints } = dashboard;
    const hers = await signIn({ link, url, path: "/users", complaints });
    await using _ = hers.context();
    expect(await hers.getByRole("button", { name: "Add person" }).count()).toBe(0);
    await page.getByText(/^Since /).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByLabel("Role of eve").selectOption("operator");
    const sure = page.getByRole("dialog", { name: "Make eve an operator?" });
    await sure.getByRole("button", { name: "Cancel" }).click();
    expect(dashboard.hub.people.person("eve").role).toBe("viewer");
    await page.getByLabel("Role of eve").selectOption("operator");
    await sure.getByRole("button", { name: "Change role" }).click();
    await page.getByText("eve is now an operator").waitFor();
    expect(dashboard.hub.people.person("eve").role).toBe("operator");

    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Not signed in anywhere").waitFor();
    await hers.getByText("toolkeep open").waitFor();

    await page.getByRole("button", { name: "More actions for eve" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("dialog").getByText("cannot be undone").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => page.getByRole("row", { name: /eve/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
